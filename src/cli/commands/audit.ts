import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { AuditRowView } from '../../client/api-types.ts';
import { duration } from '../duration.ts';
import { printResult, printTable } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';
import { type Column, type TableColour } from '../table.ts';
import { dateText } from '../time-text.ts';

const pageSize = 1_000;

const colours: Readonly<Partial<Record<string, TableColour>>> = { ok: 'green', denied: 'red', 'tool-error': 'yellow' };

const columns: readonly Column<AuditRowView>[] = [
  { header: 'TIME (UTC)', text: ({ at }) => dateText(at) },
  { header: 'CALLER', text: ({ caller }) => caller ?? '' },
  {
    header: 'WHAT',
    text: ({ action, handle_name: handle, subject }) => [action, handle ?? subject].filter(Boolean).join(' '),
    shrinks: true,
  },
  { header: 'DECISION', text: ({ decision }) => decision ?? '' },
  {
    header: 'STATUS',
    // Who has not ended yet, or never could, has no outcome.
    text: ({ status, kind }) => status ?? (kind === 'change' ? '' : kind),
    colour: ({ status }) => (status === null ? undefined : colours[status]),
  },
  { header: 'ARGUMENTS', text: ({ args, message }) => args ?? message ?? '', shrinks: true },
];

/** `audit`: the record, newest first; `audit verify` checks its chain, `audit export` gives all of it, oldest first. */
export function auditCommand(command: Command, context: CommandContext): void {
  const { terminal } = context;
  filtered(command)
    .option('--limit <rows>', 'at most so many of the newest', rowCount, 50)
    .option('--json', 'print JSON')
    .action(async options => {
      const client = await service(context, options);
      const rows = await client.ask('GET /api/audit', { query: { ...filterOf(options), limit: options.limit } });
      await printTable(terminal, options.json, rows, columns, 'Nothing is recorded that fits.');
    });

  const verify = command.command('verify').description('check that nothing of the record was changed or removed');
  askingService(verify.option('--json', 'print JSON')).action(async options => {
    const client = await service(context, options);
    const verdict = await client.ask('GET /api/audit/verify');
    const rows = verdict.rows === 1 ? '1 row' : `${verdict.rows} rows`;
    await printResult(terminal, options.json, verdict, () =>
      verdict.ok ? `The record is whole: ${rows}.` : verdict.problems.map(({ message }) => message).join('\n'),
    );
    if (verdict.ok) return;
    if (!options.json) await terminal.err(`The record of ${rows} is not as it was written.\n`);
    context.exit(1);
  });

  const exported = command.command('export').description('print the record, oldest first, as one JSON object a line');
  filtered(exported).action(async options => {
    const client = await service(context, options);
    for (let after = 0; ; ) {
      const query = { ...filterOf(options), after, limit: pageSize, order: 'oldest-first' as const };
      const rows = await client.ask('GET /api/audit', { query });
      await terminal.out(rows.map(row => `${JSON.stringify(row)}\n`).join(''));
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageSize) return;
      after = last.seq;
    }
  });
}

function filtered(command: Command) {
  return askingService(command)
    .option('--since <when>', 'a time such as 2026-08-01T12:00Z, or how long ago: 30s, 10m, 2h')
    .option('--handle <name>', 'only this handle')
    .option('--decision <decision>', 'only this decision');
}

function filterOf({ since, handle, decision }: { since?: string; handle?: string; decision?: string }) {
  return {
    ...(since !== undefined && { since: sinceTime(since, Date.now()) }),
    ...(handle !== undefined && { handle }),
    ...(decision !== undefined && { decision }),
  };
}

/** A point in time, in milliseconds since 1970: a date, or a span before now. Throws `usage`. */
export function sinceTime(text: string, now: number): number {
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? now - duration(text) : date;
}

function rowCount(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text) || text === String(pageSize)) return Number(text);
  throw new InvalidArgumentError(`It is a whole number from 1 to ${pageSize}; audit export has all rows.`);
}
