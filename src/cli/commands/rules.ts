import type { Command } from '@commander-js/extra-typings';
import type { RuleView } from '../../client/api-types.ts';
import { decision, requireOperator } from '../operator-at-hand.ts';
import { printTable } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';
import { type Column, type TableColour } from '../table.ts';

const colours: Readonly<Partial<Record<string, TableColour>>> = { allow: 'green', deny: 'red' };

const columns: readonly Column<RuleView>[] = [
  { header: 'LEVEL', text: ({ level }) => level, colour: ({ level }) => colours[level] },
  { header: 'PATTERN', text: ({ pattern }) => pattern, shrinks: true },
  { header: 'REASON', text: ({ reason }) => reason ?? '', shrinks: true },
  {
    header: 'STATE',
    text: ({ state, lifetime, pinned }) => {
      if (state !== 'active') return state;
      return [lifetime === 'session' ? 'session' : '', pinned ? 'pinned' : ''].filter(Boolean).join(', ');
    },
    colour: ({ state }) => (state === 'active' ? undefined : 'yellow'),
  },
  { header: 'ID', text: ({ id }) => id },
];

/** `rules`: the standing rules; `rules rm` removes one. */
export function rulesCommand(command: Command, context: CommandContext): void {
  askingService(command.option('--json', 'print JSON')).action(async options => {
    const { terminal } = context;
    const client = await service(context, options);
    const rules = await client.ask('GET /api/rules');
    const none = "There are no rules: every call asks. Make one: longshore allow 'SERVER.TOOL'";
    await printTable(terminal, options.json, rules, columns, none);
  });
  const remove = command.command('rm').description('remove a rule').argument('<id>', 'of the rule');
  askingService(decision(remove)).action(async (id, options) => {
    const token = requireOperator(context.terminal, options);
    const client = await service(context, options, token);
    await client.ask('DELETE /api/rules/:id', { params: { id } });
    await context.terminal.err('Removed the rule.\n');
  });
}
