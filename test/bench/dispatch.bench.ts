/**
 * What governance costs: a dispatch to a server in this process (one allow rule, audit on) against one bare committed
 * insert of the same row, with one caller and with 64. All in turn, in one run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { type AuditRow, auditColumns } from '../../src/store/audit.ts';
import { openStore } from '../../src/store/store.ts';
import { foreignDatabase } from '../fixtures/foreign-database.ts';
import { governedWorld, tool } from '../fixtures/governed-world.ts';
import { report, timeInTurn } from './measure.ts';

const rounds = Number(process.env['ROUNDS'] ?? 40);
const perRound = 64;
const folder = mkdtempSync(join(tmpdir(), 'longshore-bench-'));

await (await openStore({ path: join(folder, 'bare.db'), clock: systemClock })).close();
const bare = foreignDatabase(join(folder, 'bare.db'));
bare.exec('pragma journal_mode = wal; pragma synchronous = full');
const insert = bare.prepare(`insert into audit values (${auditColumns.map(() => '?').join(', ')})`);

const world = await governedWorld({ path: join(folder, 'governed.db') });
world.load([tool('write', { inputSchema: { type: 'object', properties: { path: { type: 'string' } } } })]);
await world.rule('allow', 'files.*');
const args = { path: '/srv/data/report.txt', text: 'the quick brown fox', mode: 3 };
await world.call('files__write', args);
await world.recorded();
const row = (await world.rows()).find(one => one.kind === 'authorisation');
if (row === undefined) throw new Error('the call was recorded');

let seq = 0;
function insertBare(one: AuditRow): void {
  seq += 1;
  insert.run(...auditColumns.map(column => (column === 'seq' ? seq : one[column])));
}

const medians = await timeInTurn(
  [
    {
      name: 'bare committed insert',
      async run() {
        for (let n = 0; n < perRound; n += 1) insertBare(row);
      },
    },
    {
      name: 'dispatch, one caller',
      async run() {
        for (let n = 0; n < perRound; n += 1) await world.call('files__write', args);
      },
    },
    {
      name: `dispatch, ${perRound} callers`,
      async run() {
        await Promise.all(Array.from({ length: perRound }, () => world.call('files__write', args)));
      },
    },
  ],
  rounds,
);
report(`${perRound} calls (medians of ${rounds} rounds)`, medians);

const verifyRows = Number(process.env['ROWS'] ?? 100_000);
for (let n = 0; n < verifyRows; n += 1000) {
  await Promise.all(
    Array.from({ length: 1000 }, (_, index) => world.audit.authorise({ dispatch_id: `v${n + index}`, args })),
  );
}
const started = performance.now();
const verdict = await world.audit.verify();
process.stdout.write(
  `audit verify: ${verdict.rows} rows, ok ${verdict.ok}, ${(performance.now() - started).toFixed(0)} ms\n`,
);
await world[Symbol.asyncDispose]();
bare.close();
rmSync(folder, { recursive: true, force: true });
