import type { Command } from '@commander-js/extra-typings';
import type { ApprovalView } from '../../client/api-types.ts';
import type { Client } from '../../client/client.ts';
import { approvalId } from '../approval-id.ts';
import { decision, requireOperator } from '../operator-at-hand.ts';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { renderApproval } from '../render-approvals.ts';
import { askingService, service } from '../service-command.ts';
import type { Terminal } from '../terminal.ts';
import { visibleText } from '../visible-text.ts';

/** `approvals`: the calls that wait for a decision; `--watch` shows each as it comes, until it is stopped. */
export function approvalsCommand(command: Command, context: CommandContext): void {
  const own = command
    .option('--watch', 'show each as it comes, and how each ends')
    .option('--all', 'ended ones too, newest first')
    .option('--open <id>', 'all the arguments of one, what looks like a secret too; recorded')
    .option('--json', 'print JSON; with --watch one line for each event');
  askingService(decision(own)).action(async options => {
    const { terminal } = context;
    if (options.open !== undefined) return await open(options.open, context, options);
    const client = await service(context, options);
    if (options.watch) return await watch(client, options.json === true, terminal);
    const query = options.all ? { state: 'all' as const } : {};
    const found = await client.ask('GET /api/approvals', { query });
    const text = () => found.map(one => renderApproval(one, Date.now())).join('\n\n');
    await printResult(terminal, options.json, found, text);
    if (options.json) return;
    const hint = found.length > 0 ? 'Decide with: longshore approve ID, or longshore reject ID' : 'Nothing waits.';
    await terminal.err(`${hint}\n`);
  });
}

async function open(
  id: string,
  context: CommandContext,
  options: Parameters<typeof service>[1] & {
    readonly json?: true | undefined;
    readonly operatorToken?: string | undefined;
  },
): Promise<void> {
  const client = await service(context, options, requireOperator(context.terminal, options));
  const answer = await client.ask('POST /api/approvals/:id/open', { params: { id: await approvalId(id, client) } });
  await printResult(context.terminal, options.json, answer, () => visibleText(answer.args));
}

async function watch(client: Client, json: boolean, terminal: Terminal): Promise<void> {
  const shown = new Set<string>();
  async function show(what: string, approval: ApprovalView): Promise<void> {
    if (json) return await terminal.out(`${JSON.stringify({ event: what, approval })}\n`);
    if (what === 'approval.added' && shown.has(approval.id)) return;
    shown.add(approval.id);
    const name = approval.tool === null ? approval.handleName : `${approval.server}.${approval.tool}`;
    const ended = [approval.state, approval.reason].filter(Boolean).join(': ');
    await terminal.show(
      what === 'approval.added'
        ? `${renderApproval(approval, Date.now())}\n\n`
        : `${name} ${ended}  ${approval.id}\n\n`,
    );
  }
  for await (const event of client.events(new AbortController().signal)) {
    if (event.type === 'hello' || event.type === 'resync') {
      for (const open of await client.ask('GET /api/approvals')) await show('approval.added', open);
    } else if (
      event.type === 'approval.added' ||
      event.type === 'approval.resolved' ||
      event.type === 'approval.withdrawn'
    ) {
      await show(event.type, event.data);
    }
  }
}
