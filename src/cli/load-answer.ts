import type { LoadAnswer } from '../client/api-types.ts';
import type { Client } from '../client/client.ts';
import { type ErrorCode, LongshoreError } from '../core/errors.ts';
import { tellFailure } from './failure.ts';
import { printResult, tellNotes } from './print.ts';
import type { CommandContext } from './program.ts';
import { withProgress } from './with-progress.ts';

/** What `load`, `reload` and `restart` have in common: progress while it lasts, then what came of it, and the exit code. */
export async function tellLoad(
  context: CommandContext,
  client: Client,
  json: true | undefined,
  work: Promise<LoadAnswer>,
): Promise<void> {
  const { terminal } = context;
  const answer = await withProgress(client, terminal, work);
  const { tools, protocol_version, transport, notes, server } = answer.data;
  await tellNotes(terminal, notes);
  await printResult(terminal, json, answer, () => '');
  if (!json) {
    const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
    await terminal.err(`${server} · ${count} · MCP ${protocol_version} · ${transport}\n`);
  }
  if (answer.code !== undefined && remarks.has(answer.code)) {
    if (!json) await terminal.err(`${answer.error}\n`);
  } else {
    await tellPartial(context, answer, json);
  }
}

/** What a load that was done may add no tool for (R31): it is told, and the exit code stays 0, for the server runs. */
const remarks: ReadonlySet<string> = new Set<ErrorCode>(['already-running', 'discovery-failed']);

/** Tells the part that was not done, with its exit code. */
export async function tellPartial(
  { terminal, exit }: CommandContext,
  { error, code }: Pick<LoadAnswer, 'error' | 'code'>,
  json: true | undefined,
): Promise<void> {
  if (error === undefined) return;
  exit(await tellFailure(new LongshoreError(code ?? 'internal', error), json === true, terminal));
}
