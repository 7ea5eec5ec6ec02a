import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CallerScope, emptyScope, wholeScope } from '../core/caller-scope.ts';
import type { AgentId } from '../core/ids.ts';
import { openStore, type Store } from './store.ts';

const agent = 'did:web:example.org' as AgentId;
const minute = 60_000;

let home: string;
let now: number;
let store: Store;
const open = () =>
  openStore({ path: join(home, 'longshore.db'), clock: { now: () => now, sleep: () => Promise.resolve() } });
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'longshore-callers-'));
  now = 1_000_000;
  store = await open();
});
afterEach(async () => {
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

describe('callers', () => {
  it('are found by their own token only, after a restart too', async () => {
    const claude = await store.callers.create('claude', agent);
    const cursor = await store.callers.create('cursor', 'did:web:other.org' as AgentId);
    expect(claude.token).toMatch(/^lsc_[A-Za-z0-9_-]{43}$/);
    expect(claude.token).not.toBe(cursor.token);
    await store.close();
    store = await open();
    expect(await store.callers.find(claude.token)).toMatchObject({ caller: 'client:claude', agentId: agent });
    expect(await store.callers.find(cursor.token)).toMatchObject({ caller: 'client:cursor' });
    for (const other of ['', 'lsc_', `${claude.token}x`, claude.token.slice(0, -1), claude.token.toUpperCase()]) {
      expect(await store.callers.find(other)).toBeUndefined();
    }
  });

  it('S15: have tokens that no file of the home and no listing holds', async () => {
    const { token } = await store.callers.create('claude', agent);
    await store.callers.find(token);
    const files = readdirSync(home).map(file => readFileSync(join(home, file), 'latin1'));
    expect(files.join('\n')).not.toContain(token);
    expect(JSON.stringify(await store.callers.list())).not.toContain(token);
  });

  it('lose their token for good when revoked; the name is free again and the old entry stays listed', async () => {
    const first = await store.callers.create('claude', agent);
    expect(await store.callers.find(first.token)).toMatchObject({ name: 'claude' });
    now += 5;
    expect(await store.callers.revoke('claude')).toMatchObject({ name: 'claude', revokedAt: now });
    expect(await store.callers.revoke('claude')).toBeUndefined();
    expect(await store.callers.find(first.token)).toBeUndefined();
    const second = await store.callers.create('claude', agent);
    expect(await store.callers.find(second.token)).toMatchObject({ id: second.caller.id });
    expect((await store.callers.list()).map(({ name, revokedAt }) => ({ name, revokedAt }))).toEqual([
      { name: 'claude', revokedAt: now },
      { name: 'claude', revokedAt: null },
    ]);
  });

  it('are revoked for a request that asks in the same moment, too, from then on', async () => {
    const { token } = await store.callers.create('claude', agent);
    await Promise.all([store.callers.find(token), store.callers.revoke('claude'), store.callers.find(token)]);
    expect(await store.callers.find(token)).toBeUndefined();
  });

  it('have a name of their own: a taken one says how to free it, a bad one what is allowed', async () => {
    await store.callers.create('claude', agent);
    await expect(store.callers.create('claude', agent)).rejects.toMatchObject({
      code: 'name-in-use',
      message: expect.stringContaining('longshore token revoke claude') as string,
    });
    for (const bad of ['', ' x', 'a b', 'client:x', '-x', '../x', 'x'.repeat(65)]) {
      await expect(store.callers.create(bad, agent)).rejects.toMatchObject({ code: 'usage' });
    }
    expect(await store.callers.list()).toHaveLength(1);
  });

  it('are remembered to have called, to the minute', async () => {
    const { token } = await store.callers.create('claude', agent);
    const lastUsed = async () => (await store.callers.list())[0]?.lastUsedAt;
    expect(await lastUsed()).toBeNull();
    await store.callers.find(token);
    const first = now;
    now += minute - 1;
    await store.callers.find(token);
    expect(await lastUsed()).toBe(first);
    now += 1;
    await store.callers.find(token);
    expect(await lastUsed()).toBe(first + minute);
  });
});

describe('the scope of a caller', () => {
  const narrow: CallerScope = {
    servers: ['github'],
    tools: ['*.read_*'],
    risk: 'read-only',
    list: { pins: ['github.get_*'] },
    manages: false,
  };

  it('is everything if not said, is kept over a restart, and holds at once when it is changed', async () => {
    const { caller, token } = await store.callers.create('claude', agent);
    expect(caller.scope).toEqual(wholeScope);
    expect((await store.callers.find(token))?.scope).toEqual(wholeScope);
    expect(await store.callers.setScope('claude', narrow)).toMatchObject({ name: 'claude', scope: narrow });
    expect((await store.callers.find(token))?.scope).toEqual(narrow);
    await store.close();
    store = await open();
    expect((await store.callers.find(token))?.scope).toEqual(narrow);
    expect(await store.callers.setScope('nobody', narrow)).toBeUndefined();
  });

  it('is told at any moment of one that was found or listed, and is nothing once the token is revoked', async () => {
    const { caller, token } = await store.callers.create('claude', agent, narrow);
    expect(store.callers.scopeOf(caller.id)).toEqual(narrow);
    await store.close();
    store = await open();
    expect(store.callers.scopeOf(caller.id)).toEqual(emptyScope);
    await store.callers.list();
    expect(store.callers.scopeOf(caller.id)).toEqual(narrow);
    await store.callers.find(token);
    await store.callers.setScope('claude', { ...narrow, risk: 'all' });
    expect(store.callers.scopeOf(caller.id)).toEqual({ ...narrow, risk: 'all' });
    await store.callers.revoke('claude');
    expect(store.callers.scopeOf(caller.id)).toEqual(emptyScope);
    const second = await store.callers.create('claude', agent);
    await store.callers.find(second.token);
    expect(store.callers.scopeOf(caller.id)).toEqual(emptyScope);
    expect(store.callers.scopeOf(second.caller.id)).toEqual(wholeScope);
  });

  it('is the new one for whoever asks in the moment of a change, and after it', async () => {
    const { token, caller } = await store.callers.create('claude', agent);
    for (let round = 0; round < 30; round += 1) {
      now += minute;
      const scope = { ...narrow, servers: [`s${round}`] };
      const [before, , after] = await Promise.all([
        store.callers.find(token),
        store.callers.setScope('claude', scope),
        store.callers.find(token),
      ]);
      expect(before).toBeDefined();
      expect(after?.scope).toEqual(scope);
      expect((await store.callers.find(token))?.scope).toEqual(scope);
      expect(store.callers.scopeOf(caller.id)).toEqual(scope);
    }
  });

  it('is everything for tokens from before there were scopes, and reaches nothing where it is damaged', async () => {
    const { token } = await store.callers.create('claude', agent);
    await store.close();
    const { DatabaseSync } = await import('node:sqlite');
    const write = (text: string | null) => {
      const database = new DatabaseSync(join(home, 'longshore.db'));
      database.prepare('update callers set scope_json = ?').run(text);
      database.close();
    };
    const found: (CallerScope | undefined)[] = [];
    for (const text of [
      null,
      '{',
      '[]',
      '{}',
      '{"servers":null,"tools":7,"risk":"future","list":{"pins":[1,"a.*"]}}',
    ]) {
      write(text);
      store = await open();
      found.push((await store.callers.find(token))?.scope);
      await store.close();
    }
    store = await open();
    expect(found).toEqual([
      wholeScope,
      emptyScope,
      emptyScope,
      emptyScope,
      { servers: null, tools: [], risk: 'read-only', list: { pins: ['a.*'] }, manages: false },
    ]);
  });
});
