import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignDatabase, tamperWithAudit } from '../../../test/fixtures/foreign-database.ts';
import { systemClock } from '../../core/clock.ts';
import { type Log, silentLog } from '../../core/ports/log.ts';
import { createRedactor } from '../../secrets/redact.ts';
import { type AuditRows, auditColumns } from '../../store/audit.ts';
import { checkpointFile } from '../../store/checkpoint-file.ts';
import { openStore } from '../../store/store.ts';
import { openAudit } from './audit.ts';
import { chained } from './audit-chain.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-audit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { privateKey } = generateKeyPairSync('ed25519');
const database = () => join(folder, 'longshore.db');
const checkpointPath = () => join(folder, 'audit-checkpoint.json');

async function open(options: { rows?: (rows: AuditRows) => AuditRows; log?: Log; key?: typeof privateKey } = {}) {
  const stack = new AsyncDisposableStack();
  const store = stack.use(await openStore({ path: database(), clock: systemClock }));
  const redactor = createRedactor();
  const audit = stack.use(
    await openAudit({
      rows: options.rows?.(store.audit) ?? store.audit,
      clock: systemClock,
      log: options.log ?? silentLog,
      redactor,
      checkpoint: { file: checkpointFile(checkpointPath()), key: options.key ?? privateKey },
    }),
  );
  return { store, audit, redactor, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function fill(count: number): Promise<void> {
  await using opened = await open();
  const { audit } = opened;
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      audit.authorise({ dispatch_id: `d${index + 1}`, handle_name: 'files__read', args: { index } }),
    ),
  );
}

type Tampering = Parameters<typeof tamperWithAudit>[1];
const tamper = (act: Tampering) => tamperWithAudit(database(), act);

async function findings(): Promise<string[]> {
  await using opened = await open();
  const { ok, problems } = await opened.audit.verify();
  expect(ok).toBe(problems.length === 0);
  return problems.map(({ seq, problem }) => `${problem} ${seq}`);
}

describe('audit', () => {
  it('B9: an authorisation is on disk when it is granted, and its outcome joins it by the dispatch', async () => {
    await using opened = await open();
    await opened.audit.authorise({ dispatch_id: 'd1', decision: 'auto_allowed', args: { path: '/srv/x' } });
    const onDisk = foreignDatabase(database(), { readOnly: true });
    expect(onDisk.prepare('select seq, kind, dispatch_id, args from audit').all()).toEqual([
      { seq: 1, kind: 'authorisation', dispatch_id: 'd1', args: '{"path":"/srv/x"}' },
    ]);
    onDisk.close();
    opened.audit.outcome({ dispatch_id: 'd1', status: 'ok' });
    await opened.audit.change({ action: 'rule_added', subject: 'allow files.*', caller: 'operator:cli' });
    const rows = await opened.audit.list({ order: 'oldest-first' });
    expect(rows.map(({ kind, dispatch_id }) => [kind, dispatch_id])).toEqual([
      ['authorisation', 'd1'],
      ['outcome', 'd1'],
      ['change', null],
    ]);
    expect(await opened.audit.verify()).toEqual({ ok: true, rows: 3, problems: [] });
  });

  it('calls at the same time share one commit, in the order in which they asked', async () => {
    const commits: number[] = [];
    await using opened = await open({
      rows: rows => ({
        ...rows,
        append(some) {
          commits.push(some.length);
          return rows.append(some);
        },
      }),
    });
    const { audit } = opened;
    await Promise.all(Array.from({ length: 130 }, (_, index) => audit.authorise({ dispatch_id: `d${index}` })));
    expect(commits).toEqual([100, 30]);
    audit.outcome({ dispatch_id: 'd0' });
    await audit.authorise({ dispatch_id: 'last' });
    expect(commits).toEqual([100, 30, 2]);
    const rows = await audit.list({ limit: 200, order: 'oldest-first' });
    expect(rows.slice(0, 130).map(row => row.dispatch_id)).toEqual(
      Array.from({ length: 130 }, (_, index) => `d${index}`),
    );
  });

  it('a full or locked database refuses with cannot-record, loses nothing recorded, and outcomes are written when it recovers', async () => {
    await using opened = await open();
    const { audit } = opened;
    await audit.authorise({ dispatch_id: 'before' });
    const other = foreignDatabase(database());
    other.exec('begin immediate');
    audit.outcome({ dispatch_id: 'before', status: 'ok' });
    await expect(audit.authorise({ dispatch_id: 'during' })).rejects.toMatchObject({ code: 'cannot-record' });
    other.exec('rollback');
    other.close();
    await audit.authorise({ dispatch_id: 'after' });
    await audit.close();
    const rows = await opened.store.audit.read({ limit: 10, order: 'oldest-first' });
    expect(rows.map(row => `${row.kind} ${row.dispatch_id}`)).toEqual([
      'authorisation before',
      'authorisation after',
      'outcome before',
    ]);
    expect(await audit.verify()).toMatchObject({ ok: true, rows: 3 });
  });

  it('goes on from what is on disk when it is unclear whether a commit happened', async () => {
    let lie = false;
    await using opened = await open({
      rows: rows => ({
        ...rows,
        async append(some) {
          await rows.append(some);
          if (lie) throw new Error('the disk said no, but wrote');
        },
      }),
    });
    lie = true;
    await expect(opened.audit.authorise({ dispatch_id: 'd1' })).rejects.toMatchObject({ code: 'cannot-record' });
    lie = false;
    await opened.audit.authorise({ dispatch_id: 'd2' });
    expect(await opened.audit.verify()).toMatchObject({ ok: true, rows: 2 });
  });

  it('gives an outcome up after some attempts, says so in the log, and leaves the open row visible', async () => {
    const said: string[] = [];
    const opened = await open({
      log: { ...silentLog, error: (_, message) => said.push(message) },
      rows: rows => ({
        ...rows,
        append: some =>
          some.some(row => row.kind === 'outcome') ? Promise.reject(new Error('no')) : rows.append(some),
      }),
    });
    await opened.audit.authorise({ dispatch_id: 'd1' });
    opened.audit.outcome({ dispatch_id: 'd1', status: 'ok' });
    await opened[Symbol.asyncDispose]();
    expect(said).toEqual(['An outcome could not be recorded.']);
    await expect(opened.audit.authorise({})).rejects.toMatchObject({ code: 'cannot-record' });
    expect(await findings()).toEqual([]);
  });

  it('S15: masks arguments, messages and subjects before they are cut and stored', async () => {
    await using opened = await open();
    opened.redactor.learn([{ name: 'A_KEY', value: 'canary-9f81' }]);
    const args = { password: 'canary-1', note: `canary-9f81${'x'.repeat(5000)}`, json: '{"token":"canary-2"}' };
    await opened.audit.authorise({ dispatch_id: 'd1', args, message: 'Authorization: Bearer canary-3333' });
    await opened.audit.change({ action: 'rule_added', subject: 'a.b when x = canary-9f81', caller: 'operator:cli' });
    const text = JSON.stringify(await opened.audit.list({}));
    expect(text).not.toContain('canary');
    expect((await opened.audit.list({ dispatchId: 'd1' }))[0]?.args?.length).toBe(2048);
  });

  it('exports every row of a filter, oldest first, page by page', async () => {
    await fill(2500);
    await using opened = await open();
    const seqs: number[] = [];
    for await (const row of opened.audit.export({ handleName: 'files__read' as never })) seqs.push(row.seq);
    expect(seqs).toEqual(Array.from({ length: 2500 }, (_, index) => index + 1));
  });

  it('a crash leaves a row open and the chain sound, the checkpoint behind', async () => {
    await fill(3);
    await using opened = await open();
    await opened.audit.authorise({ dispatch_id: 'open' });
    // What the disk holds now is what a crash would leave.
    expect(JSON.parse(readFileSync(checkpointPath(), 'utf8'))).toMatchObject({ seq: 3 });
    const copy = foreignDatabase(database(), { readOnly: true });
    expect(copy.prepare("select kind from audit where dispatch_id = 'open'").all()).toEqual([
      { kind: 'authorisation' },
    ]);
    copy.close();
    expect(await opened.audit.verify()).toMatchObject({ ok: true, rows: 4 });
  });
});

describe('audit verify', () => {
  it('finds one changed byte in any column of any row, and says which row', async () => {
    await fill(5);
    const text = auditColumns.filter(column => column !== 'seq');
    const pristine = readFileSync(database());
    for (const [index, column] of text.entries()) {
      const seq = (index % 5) + 1;
      tamper(db => {
        const old: unknown = db.prepare(`select ${column} as value from audit where seq = ${seq}`).get()?.['value'];
        const next =
          typeof old === 'string'
            ? `${old.slice(0, -1)}~`
            : column.endsWith('_ms')
              ? 1
              : typeof old === 'number'
                ? old + 1
                : column === 'result_size'
                  ? 2
                  : 'x';
        db.prepare(`update audit set ${column} = ? where seq = ?`).run(next, seq);
      });
      expect([column, ...(await findings())]).toContain(`changed ${seq}`);
      rmSync(`${database()}-wal`, { force: true });
      rmSync(`${database()}-shm`, { force: true });
      writeFileSync(database(), pristine);
    }
  });

  it('finds a removed row, two swapped rows and a cut tail, and says which', async () => {
    await fill(10);
    tamper(db => db.exec('delete from audit where seq = 4'));
    expect(await findings()).toEqual(['missing 4']);
    tamper(db =>
      db.exec(
        'update audit set seq = -6 where seq = 6; update audit set seq = 6 where seq = 8; update audit set seq = 8 where seq = -6',
      ),
    );
    expect(await findings()).toEqual(['missing 4', 'moved 6', 'moved 8']);
    tamper(db => db.exec('delete from audit where seq > 8'));
    expect(await findings()).toEqual(['missing 4', 'moved 6', 'moved 8', 'missing 9', 'noted 11']);
    await fill(1);
    expect(await findings()).toEqual(['missing 4', 'moved 6', 'moved 8', 'missing 9', 'noted 11']);
  });

  /** Adds rows as our own code would have written them: with sound numbers and hashes. */
  function forge(count: number, from?: { seq: number; hash: string }): void {
    tamper(db => {
      const last = db.prepare('select seq, hash from audit order by seq desc limit 1').get() as {
        seq: number;
        hash: string;
      };
      const rows = chained(
        Array.from({ length: count }, () => ({ kind: 'outcome' as const, at: 1, handle_name: 'forged' })),
        from ?? last,
      );
      const insert = db.prepare(
        `insert into audit (${auditColumns.join()}) values (${auditColumns.map(() => '?').join()})`,
      );
      for (const row of rows) insert.run(...auditColumns.map(column => row[column]));
    });
  }

  it.each([1, 3])(
    'S15: finds %i rows that were added with sound hashes after a clean stop, and goes on telling',
    async count => {
      await fill(4);
      forge(count);
      expect(await findings()).toEqual([`noted ${5 + count}`]);
      await fill(2);
      expect(await findings()).toEqual([`noted ${5 + count}`]);
    },
  );

  it('S15: finds rows that stand before the first', async () => {
    await fill(4);
    forge(3, { seq: -4, hash: '' });
    expect(await findings()).toEqual(['added -3', 'added -2', 'added -1', 'noted 5']);
  });

  it('a run that ends without a word leaves no rows that look as if they were added', async () => {
    await fill(4);
    const crashed = await open();
    await crashed.audit.authorise({ dispatch_id: 'd9' });
    await crashed.store.close();
    expect(await findings()).toEqual([]);
  });

  it('finds a cut tail while the host runs, before any new row', async () => {
    await using opened = await open();
    for (let n = 0; n < 4; n += 1) await opened.audit.authorise({ dispatch_id: `d${n}` });
    tamper(db => db.exec('delete from audit where seq >= 3'));
    const { problems } = await opened.audit.verify();
    expect(problems).toMatchObject([{ seq: 3, problem: 'cut', message: expect.stringContaining('rows 3 to 4') }]);
  });

  it('finds a record that was written anew with sound hashes, by the signature', async () => {
    await fill(4);
    const kept = readFileSync(checkpointPath());
    tamper(db => db.exec('delete from audit'));
    rmSync(checkpointPath());
    await fill(4);
    writeFileSync(checkpointPath(), kept);
    const found = await findings();
    expect(found).toContain('rewritten 4');
    expect(found).toContain('noted 5');
  });

  it('finds a checkpoint that was removed or is not ours, and goes on telling', async () => {
    await fill(2);
    rmSync(checkpointPath());
    expect(await findings()).toEqual(['noted 3']);
    writeFileSync(checkpointPath(), readFileSync(checkpointPath(), 'utf8').replace('"seq":3', '"seq":2'));
    expect(await findings()).toEqual(['noted 3', 'noted 4']);
    await using stranger = await open({ key: generateKeyPairSync('ed25519').privateKey });
    expect((await stranger.audit.verify()).problems.length).toBe(3);
  });

  it('has nothing to say about an untouched record, however often it was closed and opened', async () => {
    for (let round = 0; round < 4; round += 1) await fill(round);
    expect(await findings()).toEqual([]);
    expect(statSync(checkpointPath()).mode & 0o777).toBe(0o600);
  });

  it('finds any one edit, removal, swap or cut', async () => {
    await fill(12);
    const pristine = readFileSync(database());
    const kept = readFileSync(checkpointPath());
    const seqs = fc.integer({ min: 1, max: 12 });
    const acts = fc.oneof(
      fc.record({
        act: fc.constant('edit' as const),
        seq: seqs,
        column: fc.constantFrom('at', 'args', 'decision', 'prev', 'hash'),
      }),
      fc.record({ act: fc.constant('remove' as const), seq: seqs }),
      fc.record({ act: fc.constant('cut' as const), seq: seqs }),
    );
    await fc.assert(
      fc.asyncProperty(acts, async change => {
        for (const suffix of ['-wal', '-shm']) rmSync(database() + suffix, { force: true });
        writeFileSync(database(), pristine);
        writeFileSync(checkpointPath(), kept);
        const { seq } = change;
        tamper(db => {
          if (change.act === 'edit')
            db.exec(`update audit set ${change.column} = coalesce(${change.column}, 0) || '1' where seq = ${seq}`);
          if (change.act === 'remove') db.exec(`delete from audit where seq = ${seq}`);
          if (change.act === 'cut') db.exec(`delete from audit where seq >= ${seq}`);
        });
        const found = await findings();
        expect(found.some(one => one.endsWith(` ${seq}`))).toBe(true);
      }),
      { numRuns: 15 },
    );
  });
});
