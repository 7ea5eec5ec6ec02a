import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, InstanceId, ServerKey } from '../core/ids.ts';
import type { NewHolding } from '../core/ports/ledger.ts';
import { openDatabase } from './database.ts';
import { allMigrations, migrate } from './migrations.ts';
import { sqliteAdapter } from './sqlite-adapter.ts';
import { openStore } from './store.ts';
import type { NoTables } from './table.ts';

const holding: NewHolding = {
  kind: 'process',
  agentId: 'did:web:example.org' as AgentId,
  serverKey: 'notes' as ServerKey,
  instance: 'instance' as InstanceId,
  marker: 'marker',
  name: null,
  image: null,
};

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-store-'));
  path = join(folder, 'home', 'longshore.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => openStore({ path, clock: systemClock });

async function failure(promise: Promise<unknown>): Promise<LongshoreError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof LongshoreError)) throw new Error(`expected a LongshoreError, got ${String(error)}`);
  return error;
}

describe('the store', () => {
  it('keeps its file and folder for their owner alone, the write-ahead log too', async () => {
    await using store = await open();
    await store.ledger.record(holding);
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'home')).mode & 0o777).toBe(0o700);
  });

  it('takes away what others were allowed on an existing file', async () => {
    await (await open()).close();
    chmodSync(path, 0o644);
    await using store = await open();
    await store.ledger.list();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('gives back after a restart what was recorded, and closes twice without harm', async () => {
    const first = await open();
    const recorded = await first.ledger.record(holding);
    await first.close();
    await first.close();
    await using second = await open();
    expect(await second.ledger.list()).toEqual([recorded]);
  });

  it('R62: has on disk every row whose promise resolved, whatever kills the process', async () => {
    const script = `
      import { openStore } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'store.ts')).href)};
      import { systemClock } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../core/clock.ts')).href)};
      const store = await openStore({ path: ${JSON.stringify(path)}, clock: systemClock });
      for (;;) {
        const { id } = await store.ledger.record(${JSON.stringify(holding)});
        await new Promise(done => process.stdout.write(id + '\\n', done));
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const seen: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      seen.push(line);
      if (seen.length === 50) child.kill('SIGKILL');
    }
    await using store = await open();
    const ids = (await store.ledger.list()).map(row => row.id as string);
    expect(ids.slice(0, seen.length)).toEqual(seen);
  });

  it.each([
    ['random bytes from the start', (bytes: Buffer) => bytes.fill(7)],
    ['a header cut off', (bytes: Buffer) => bytes.subarray(0, 60)],
    ['a page in the middle overwritten', (bytes: Buffer) => bytes.fill(0xff, 4096, 8192)],
  ])('reports a damaged database by its path and leaves it untouched: %s', async (_, damage) => {
    const store = await open();
    await store.ledger.record(holding);
    await store.close();
    const damaged = damage(readFileSync(path));
    writeFileSync(path, damaged);
    const error = await failure(open());
    expect(error.code).toBe('store-corrupt');
    expect(error.message).toContain(path);
    expect(readFileSync(path).equals(damaged)).toBe(true);
  });

  it("does not write into another program's database", async () => {
    const store = await open();
    await store.close();
    rmSync(path);
    const foreign = new DatabaseSync(path);
    foreign.exec('create table bookmarks (url text)');
    foreign.close();
    const before = readFileSync(path);
    const error = await failure(open());
    expect(error.code).toBe('store-corrupt');
    expect(error.message).toContain("another program's");
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('says that nothing was written while another program holds the database, and goes on afterwards', async () => {
    await using store = await open();
    const first = await store.ledger.record(holding);
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const error = await failure(store.ledger.record(holding));
    expect(error.code).toBe('cannot-record');
    expect(error.row.retryable).toBe(true);
    other.exec('rollback');
    other.close();
    const second = await store.ledger.record(holding);
    expect(await store.ledger.list()).toEqual([first, second]);
  });

  it('loses nothing recorded when the disk is full, in a transaction or not', async () => {
    const database = await openDatabase(path);
    const db = database.db.$extendTables<{ notes: { text: string } }>();
    await db.schema.createTable('notes').addColumn('text', 'text').execute();
    await db.insertInto('notes').values({ text: 'first' }).execute();
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + 4}`).execute(db);
    const large = { text: 'x'.repeat(100_000) };
    const alone = await failure(db.insertInto('notes').values(large).execute());
    const together = await failure(
      db.transaction().execute(async transaction => {
        await transaction.insertInto('notes').values({ text: 'second' }).execute();
        await transaction.insertInto('notes').values(large).execute();
      }),
    );
    for (const error of [alone, together]) {
      expect(error.code).toBe('cannot-record');
      expect(error.message).toContain('the disk is full');
    }
    expect(await db.selectFrom('notes').selectAll().execute()).toEqual([{ text: 'first' }]);
    await database.close();
  });

  it('cannot be opened in a place that cannot be written, and says which', async () => {
    writeFileSync(join(folder, 'home'), 'a file, not a folder');
    const error = await failure(open());
    expect(error.code).toBe('cannot-record');
    expect(error.message).toContain(path);
  });
});

describe('migrations', () => {
  const migrations = allMigrations();

  function schemaOf(file: string): unknown[] {
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all();
    database.close();
    return rows;
  }

  it('are numbered 1, 2, 3 … over all tables, so that two that were added at once are noticed', () => {
    expect(migrations.map(migration => migration.number)).toEqual(migrations.map((_, index) => index + 1));
  });

  it.each(migrations.map(migration => migration.number - 1))(
    'bring a database of schema %i to the newest, the same as a new one, and keep its rows',
    async older => {
      const database = await openDatabase(path, migrations.slice(0, older));
      if (older > 0) {
        // By name, as a later migration may add columns.
        await sql`insert into ledger (id, kind, state, agent_id, server_key, instance, marker, engine_id, created_at, updated_at)
          values ('id', 'process', 'ready', 'did:web:example.org', 'notes', 'i', 'm', '12', 1, 2)`.execute(database.db);
      }
      await database.close();
      const store = await open();
      expect((await store.ledger.list()).map(row => row.engineId)).toEqual(older > 0 ? ['12'] : []);
      await store.close();
      const fresh = join(folder, 'fresh.db');
      await (await openStore({ path: fresh, clock: systemClock })).close();
      expect(schemaOf(path)).toEqual(schemaOf(fresh));
    },
  );

  it('refuse a database that a newer Longshore has written, and change nothing in it', async () => {
    await (await open()).close();
    const database = new DatabaseSync(path);
    database.exec(`pragma user_version = ${migrations.length + 1}`);
    database.close();
    const error = await failure(open());
    expect(error.code).toBe('store-newer');
    expect(error.message).toContain('newer Longshore');
    expect(new DatabaseSync(path).prepare('pragma user_version').get()).toEqual({
      user_version: migrations.length + 1,
    });
  });

  it('leave the older schema whole when one of them fails', async () => {
    const database = new DatabaseSync(':memory:');
    const db = new Kysely<NoTables>({
      dialect: new SqliteDialect({ database: sqliteAdapter(database, ':memory:', () => {}) }),
    });
    const broken = {
      number: migrations.length + 1,
      up: () => Promise.reject(new Error('half way')),
    };
    await expect(migrate(database, db, ':memory:', [...migrations, broken])).rejects.toThrow('half way');
    expect(database.prepare('select count(*) as n from sqlite_schema').get()).toEqual({ n: 0 });
    await migrate(database, db, ':memory:', migrations);
    expect(database.prepare('pragma user_version').get()).toEqual({ user_version: migrations.length });
    await db.destroy();
  });
});
