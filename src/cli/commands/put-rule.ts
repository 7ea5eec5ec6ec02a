import type { Command } from '@commander-js/extra-typings';
import type { Level } from '../../core/words.ts';
import { decision, requireOperator } from '../operator-at-hand.ts';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

const patterns = `
A pattern is SERVER.TOOL, with * for any characters, and may go on with conditions, in quotes where the shell would read
them:
  longshore allow 'filesystem.read_* when path startsWith /srv/'
  longshore deny 'github.delete_*'
docs/governance.md has all of it.`;

/** `allow`, `ask`, `always-ask` and `deny`: a standing rule in the place of one with the same pattern. */
export function ruleCommand(level: Level) {
  return (command: Command, context: CommandContext): void => {
    const own = command
      .argument('<pattern...>', 'which calls')
      .option('--reason <text>', 'why, for later')
      .option('--json', 'print JSON');
    askingService(decision(own))
      .addHelpText('after', patterns)
      .action(async (words, options) => {
        const token = requireOperator(context.terminal, options);
        const client = await service(context, options, token);
        const { reason } = options;
        const body = { level, pattern: words.join(' '), ...(reason !== undefined && { reason }) };
        const rule = await client.ask('PUT /api/rules', { body });
        await printResult(context.terminal, options.json, rule, () => '');
        if (options.json) return;
        const pinned = rule.pinned ? ' It holds for the tool as it is now: a changed definition asks again.' : '';
        await context.terminal.err(`From now on: ${rule.level} ${rule.pattern}.${pinned}\n`);
      });
  };
}
