import { readFile } from 'node:fs/promises';
import type { ApprovalView, InvokeAnswer, InvokeRequest } from '../client/api-types.ts';
import type { Client } from '../client/client.ts';
import { LongshoreError } from '../core/errors.ts';
import { askDecision } from './ask-decision.ts';
import { duration } from './duration.ts';
import { tellFailure } from './failure.ts';
import { renderResult } from './render-result.ts';
import type { Terminal } from './terminal.ts';
import { toolArguments } from './tool-arguments.ts';
import { withProgress } from './with-progress.ts';

/** What `call` was asked for. */
export interface CallAsked {
  /** `server.tool` or a handle's name. */
  readonly tool: string;
  readonly words: readonly string[];
  readonly args?: string | undefined;
  readonly timeout?: string | undefined;
  readonly json?: true | undefined;
}

/** Calls a tool and prints its result; a call that is held asks where there is a person. Gives the exit code. */
export async function callTool(asked: CallAsked, client: Client, terminal: Terminal): Promise<number> {
  const limit = asked.timeout === undefined ? undefined : duration(asked.timeout);
  const meant = client.ask('GET /api/tools', { query: { tool: asked.tool } });
  const [tool] = await withProgress(client, terminal, meant);
  if (tool === undefined) throw new LongshoreError('unknown-tool', `There is no tool ${JSON.stringify(asked.tool)}.`);
  const sources = { readFile: (path: string) => readFile(path, 'utf8'), readStdin: terminal.readStdin };
  const request: InvokeRequest = {
    toolId: tool.toolId,
    arguments: await toolArguments(asked.words, asked.args, tool.definition['inputSchema'], sources),
    ...(limit !== undefined && { idleTimeout: limit, totalTimeout: limit }),
  };
  return await tellResult(await invoke(request, client, terminal), tool.tool, asked.json === true, terminal);
}

async function invoke(request: InvokeRequest, client: Client, terminal: Terminal): Promise<InvokeAnswer> {
  const call = () =>
    withProgress(client, terminal, client.ask('POST /api/tools/invoke', { body: request, exact: true }));
  const answer = await call();
  if (!('approvalId' in answer)) return answer;
  if (!terminal.canAsk) throw stillWaiting(answer.approval, client.url);
  const decision = await askDecision(answer.approval, terminal);
  if (decision === undefined) throw stillWaiting(answer.approval, client.url);
  await client.ask('POST /api/approvals/:id', { params: { id: answer.approvalId }, body: decision });
  if (!decision.approve) throw new LongshoreError('approval-rejected', 'You said no, so the call was not made.');
  // The approval is a grant for the same call, which it claims now.
  const second = await call();
  if ('approvalId' in second) throw stillWaiting(second.approval, client.url);
  return second;
}

/** Tells where to decide, for a call that nobody here can decide. */
function stillWaiting({ id, handleName, expiresAt }: ApprovalView, url: string): LongshoreError {
  return new LongshoreError(
    'approval-pending',
    `The call of ${handleName} waits for the operator's decision. Approve it with: longshore approve ${id} (or at ${url}), and make the same call again.`,
    { data: { approvalId: id, url, expiresAt } },
  );
}

async function tellResult(answer: InvokeAnswer, tool: string, json: boolean, terminal: Terminal): Promise<number> {
  const { result, warnings, success } = answer;
  for (const { message } of warnings) await terminal.err(`note: ${message}\n`);
  const text = renderResult(result);
  if (json) await terminal.out(`${JSON.stringify(result, null, 2)}\n`);
  else if (success && text !== '') await terminal.show(`${text}\n`);
  if (success) return 0;
  return await tellFailure(new LongshoreError('tool-error', `${tool} failed: ${text}`), json, terminal);
}
