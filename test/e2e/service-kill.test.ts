import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { foreignDatabase } from '../fixtures/foreign-database.ts';
import { type Foreground, type LongshoreHome, longshoreHome } from './longshore-home.ts';
import { eventually, fixture, processesWith } from './run-longshore.ts';

const rounds = Number(process.env['LONGSHORE_KILL_ROUNDS'] ?? 3);

/** What a service may be in the midst of when it is killed. */
const works = ['add', 'load', 'unload', 'call', 'rule'] as const;
type Work = (typeof works)[number];

/** Clients that ask a service without a pause until it is gone, and what it has promised them. */
class Clients {
  /** How many questions of a kind have no answer yet. */
  readonly open = new Map<Work, number>(works.map(work => [work, 0]));
  readonly addedNames: string[] = [];
  readonly #service: Foreground;
  readonly #home: LongshoreHome;
  readonly #token: string;
  readonly #operator: string;

  constructor(home: LongshoreHome, service: Foreground, token: string) {
    this.#home = home;
    this.#service = service;
    this.#token = token;
    this.#operator = readFileSync(join(home.folder, 'operator.token'), 'utf8').trim();
  }

  /** The answer's status and body; rejects when the service is gone. */
  async ask(work: Work, method: string, path: string, body: object) {
    this.open.set(work, (this.open.get(work) ?? 0) + 1);
    const response = await fetch(new URL(path, this.#service.url), {
      method,
      headers: { authorization: `Bearer ${this.#operator}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    this.open.set(work, (this.open.get(work) ?? 0) - 1);
    return { status: response.status, answer };
  }

  /** Settles when the service is gone, and nobody gets an answer any more. */
  async work(round: number): Promise<void> {
    await Promise.all([
      this.#repeat(async count => {
        const name = `new-${round}-${count}`;
        const { status } = await this.ask('add', 'POST', '/api/mcp-servers', this.#server(name, 'two-tools'));
        if (status === 201) this.addedNames.push(name);
      }),
      this.#repeat(async () => {
        await this.ask('load', 'POST', '/api/mcp/load', { ref: 'deaf' });
        // An unload leaves a saved command saved.
        await this.ask('unload', 'POST', '/api/mcp/unload', { ref: 'deaf' });
      }),
      this.#repeat(() => this.ask('call', 'POST', '/api/tools/invoke', { toolId: 'kept.work' })),
      this.#repeat(count =>
        this.ask('rule', 'PUT', '/api/rules', { level: 'deny', pattern: `new-${round}-${count}.fail` }),
      ),
      // A person's command meets the dying service, or starts it anew.
      this.#home.run('load', 'kept'),
    ]);
  }

  async #repeat(step: (count: number) => Promise<unknown>): Promise<void> {
    try {
      for (let count = 0; ; count += 1) {
        await step(count);
        // What nothing waits for would fill the home with thousands of servers.
        await after(100);
      }
    } catch {
      // The service is gone.
    }
  }

  #server(name: string, program: string): object {
    return { name, command: process.execPath, args: [fixture(program)], env: { TOKEN_OF_TEST: this.#token } };
  }
}

describe('a service that is killed', () => {
  it('R5, R62, R68: in the midst of adds, loads and calls, starts again with a sound record and all that it promised, and leaves no process', {
    timeout: 120_000 + rounds * 90_000,
  }, async () => {
    const token = `service-${randomBytes(8).toString('hex')}`;
    await using home = longshoreHome();
    const calls = join(home.folder, 'calls.txt');
    const database = join(home.folder, 'longshore.db');
    let service = await home.serve();
    const env = ['--env', `TOKEN_OF_TEST=${token}`, '--', process.execPath] as const;
    for (const added of [
      await home.run('add', 'deaf', ...env, fixture('deaf')),
      await home.run('add', 'kept', ...env, fixture('marking'), calls),
      await home.run('allow', 'kept.work', ...home.asOperator),
    ]) {
      expect(added.code, added.stderr).toBe(0);
    }
    const promised = ['deaf', 'kept'];
    const hit = new Map<Work, number>(works.map(work => [work, 0]));
    for (let round = 0; round < rounds; round += 1) {
      const clients = new Clients(home, service, token);
      const working = clients.work(round);
      const before = linesIn(calls);
      expect(await eventually(async () => linesIn(calls) > before, 60_000), 'a call runs').toBe(true);
      await after(Math.random() * 3_000);
      for (const [work, open] of clients.open) hit.set(work, (hit.get(work) ?? 0) + open);
      service.kill('SIGKILL');
      await service.ended;
      await working;
      promised.push(...clients.addedNames);
      // A command may have started the service anew, and that its server: then that one is stopped as well.
      await home.run('stop');
      const gone = async () => (await processesWith(`TOKEN_OF_TEST=${token}`)).length === 0;
      expect(await eventually(gone, 10_000), `round ${round}`).toBe(true);

      service = await home.serve();
      const listed = (await home.json('list')) as { readonly servers: readonly { readonly name: string }[] };
      const names = new Set(listed.servers.map(({ name }) => name));
      expect(promised.filter(name => !names.has(name))).toEqual([]);
      const verified = await home.run('audit', 'verify');
      expect(verified.code, verified.stdout + verified.stderr).toBe(0);
      const sound = inspect(database);
      expect(sound).toMatchObject({ integrity: 'ok', dangling: 0 });
      // No call has run that was not recorded before.
      expect(sound.authorised).toBeGreaterThanOrEqual(linesIn(calls));
      const worked = await home.run('call', 'kept.work');
      expect(worked.stdout, worked.stderr).toContain('done');
    }
    process.stderr.write(`hit by the kills: ${[...hit].map(pair => pair.join(' ')).join(', ')}\n`);
  });
});

/** How many calls a marking server was given. */
function linesIn(path: string): number {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;
}

/** The database as another program sees it. */
function inspect(path: string) {
  const db = foreignDatabase(path, { readOnly: true });
  try {
    return {
      integrity: db.prepare('pragma integrity_check').get()?.['integrity_check'],
      dangling: db.prepare('pragma foreign_key_check').all().length,
      authorised: Number(
        db.prepare("select count(*) as n from audit where kind = 'authorisation' and owner_key = 'kept'").get()?.['n'],
      ),
    };
  } finally {
    db.close();
  }
}
