import type { Command } from '@commander-js/extra-typings';
import type { Scope } from '../../client/api-types.ts';
import { LongshoreError } from '../../core/errors.ts';
import { approvalId } from '../approval-id.ts';
import { decision, requireOperator } from '../operator-at-hand.ts';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

/** `approve`: lets a waiting call run; once if nothing else is said. */
export function approveCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('<id>', 'of a call that waits; its first characters are enough')
    .option('--once', 'this call only')
    .option('--session', 'this caller and tool, until the service stops or the tool goes away')
    .option('--always', 'this caller and tool as it is now: a standing rule')
    .option('--json', 'print JSON');
  askingService(decision(own)).action(async (id, options) => {
    const scope = scopeOf(options);
    const token = requireOperator(context.terminal, options);
    const client = await service(context, options, token);
    const answer = await client.ask('POST /api/approvals/:id', {
      params: { id: await approvalId(id, client) },
      body: { approve: true, scope },
    });
    await printResult(context.terminal, options.json, answer, () => '');
    if (options.json) return;
    const next = answer.state === 'approved' ? ' If its caller gave up waiting, it makes the same call again.' : '';
    await context.terminal.err(`Approved ${answer.handleName} (${scope}).${next}\n`);
  });
}

function scopeOf(flags: { readonly [Name in Scope]?: true | undefined }): Scope {
  const said = (['once', 'session', 'always'] as const).filter(scope => flags[scope]);
  if (said.length <= 1) return said[0] ?? 'once';
  throw new LongshoreError('usage', `Say one of ${said.map(scope => `--${scope}`).join(', ')}.`);
}
