import type { Command } from '@commander-js/extra-typings';
import { approvalId } from '../approval-id.ts';
import { decision, requireOperator } from '../operator-at-hand.ts';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

/** `reject`: refuses a waiting call. */
export function rejectCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('<id>', 'of a call that waits; its first characters are enough')
    .option('--reason <text>', 'told to its caller')
    .option('--json', 'print JSON');
  askingService(decision(own)).action(async (id, options) => {
    const token = requireOperator(context.terminal, options);
    const client = await service(context, options, token);
    const { reason } = options;
    const answer = await client.ask('POST /api/approvals/:id', {
      params: { id: await approvalId(id, client) },
      body: { approve: false, ...(reason !== undefined && { reason }) },
    });
    await printResult(context.terminal, options.json, answer, () => '');
    if (!options.json) await context.terminal.err(`Rejected ${answer.handleName}.\n`);
  });
}
