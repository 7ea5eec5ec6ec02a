import { describe, expect, it } from 'vitest';
import { wholeScope } from '../../src/core/caller-scope.ts';
import type { HostEvent } from '../../src/host/host-events.ts';
import { cortexHome } from '../fixtures/cortex-home.ts';
import { longshoreHome } from './longshore-home.ts';

describe('tokens over REST', { timeout: 60_000 }, () => {
  it('reach everything unless something else is said, and what is said is kept, shown and recorded', async () => {
    await using home = await cortexHome();
    const plain = await home.ask('POST', '/api/tokens', { body: { name: 'claude' } });
    expect([plain.status, plain.body.scope]).toEqual([201, wholeScope]);
    const scope = { servers: ['github'], risk: 'read-only', list: { pins: ['github.get_*'] } };
    const narrow = await home.ask('POST', '/api/tokens', { body: { name: 'cursor', scope } });
    expect(narrow.body.scope).toEqual({ ...wholeScope, ...scope });
    const listed = (await home.ask('GET', '/api/tokens')).body as { name: string; scope: unknown }[];
    expect(listed.find(({ name }) => name === 'cursor')?.scope).toEqual({ ...wholeScope, ...scope });
    const changed = await home.ask('PATCH', '/api/tokens/cursor', { body: { scope: { servers: null } } });
    expect([changed.status, changed.body.scope]).toEqual([200, { ...wholeScope, ...scope, servers: null }]);
    const rows = (await home.ask('GET', '/api/audit')).body as { action: string; caller: string; args: string }[];
    const told = rows.filter(row => row.action?.startsWith('token_')).map(({ action, caller }) => [action, caller]);
    expect(told.toReversed()).toEqual([
      ['token_created', 'operator:rest'],
      ['token_created', 'operator:rest'],
      ['token_scoped', 'operator:rest'],
    ]);
    expect(rows.find(row => row.action === 'token_scoped')?.args).toContain('github.get_*');
    expect((await home.ask('GET', '/api/audit/verify')).body).toMatchObject({ ok: true });
  });

  it('refuse a scope that cannot be read, an unknown name, and a client that asks for more', async () => {
    await using home = await cortexHome();
    const made = await home.ask('POST', '/api/tokens', { body: { name: 'claude', scope: { risk: 'read-only' } } });
    const { token } = made.body as { token: string };
    const bad: readonly unknown[] = [
      { tools: ['github'] },
      { tools: ['*.* when path is /x'] },
      { list: { pins: ['"'] } },
      { servers: ['not a key'] },
      { risk: 'some' },
      { server: ['github'] },
      { manages: true, servers: ['github'] },
    ];
    for (const scope of bad) {
      const answers = [
        await home.ask('PATCH', '/api/tokens/claude', { body: { scope } }),
        await home.ask('POST', '/api/tokens', { body: { name: 'other', scope } }),
      ];
      expect([scope, ...answers.map(({ status, body }) => [status, body.code])]).toEqual([
        scope,
        [400, 'usage'],
        [400, 'usage'],
      ]);
    }
    const unknown = await home.ask('PATCH', '/api/tokens/claud', { body: { scope: { risk: 'all' } } });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'unknown-caller']);
    expect(JSON.stringify(unknown.body)).toContain('Did you mean claude?');
    const own = await home.ask('PATCH', '/api/tokens/claude', { token, body: { scope: { risk: 'all' } } });
    expect([own.status, own.body.code]).toEqual([403, 'denied']);
    expect((await home.ask('GET', '/api/tokens')).body).toMatchObject([
      { name: 'claude', scope: { risk: 'read-only' } },
    ]);
  });

  it('change for whoever is connected in the moment in which they are changed, one change after the other', async () => {
    await using home = await cortexHome();
    const made = await home.ask('POST', '/api/tokens', { body: { name: 'claude' } });
    const { callers, onEvent } = home.service;
    const client = await callers.find(made.body.token);
    const events: HostEvent[] = [];
    const seen: unknown[] = [];
    onEvent(event => {
      events.push(event);
      seen.push(callers.scopeOf(client?.id ?? ''));
    });
    const changes = [{ servers: ['a'] }, { risk: 'read-only' }, { list: { pins: ['a.*'] } }, { tools: ['a.*'] }];
    await Promise.all(changes.map(scope => home.ask('PATCH', '/api/tokens/claude', { body: { scope } })));
    const whole = Object.assign({}, wholeScope, ...changes);
    expect(callers.scopeOf(client?.id ?? '')).toEqual(whole);
    expect((await callers.find(made.body.token))?.scope).toEqual(whole);
    await home.ask('DELETE', '/api/tokens/claude');
    expect(events).toEqual(
      Array.from({ length: 5 }, () => ({ type: 'callers', agentId: client?.agentId, caller: 'client:claude' })),
    );
    expect(seen.slice(-2)).toEqual([whole, { ...wholeScope, servers: [], tools: [], risk: 'read-only' }]);
  });

  it('tell what tools cost a model: each, and each server in all', async () => {
    await using home = await cortexHome();
    const { fixtureServer } = await import('../fixtures/cortex-home.ts');
    await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('notes', 'two-tools') });
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'notes' } });
    const costs = async (path: string) =>
      ((await home.ask('GET', path)).body as { tokenCost: number }[]).map(({ tokenCost }) => tokenCost);
    const each = await costs('/api/tools');
    expect(each.every(cost => cost > 10 && cost < 60)).toBe(true);
    expect(await costs('/api/tools/catalog')).toEqual(each);
    const { servers } = (await home.ask('GET', '/api/mcp/status')).body;
    expect(servers[0].tools.map(({ tokenCost }: { tokenCost: number }) => tokenCost)).toEqual(each);
    expect(servers[0].tokenCost).toBe(each.reduce((sum, cost) => sum + cost, 0));
  });
});

describe('tokens on the command line', { timeout: 120_000 }, () => {
  it('are made with limits, shown, and changed without a new token', async () => {
    await using home = longshoreHome();
    await home.serve();
    const made = await home.run(
      'token',
      'create',
      'claude',
      '--server',
      'github',
      '--read-only',
      '--pin',
      'github.get_*',
    );
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^lsc_[A-Za-z0-9_-]{43}\n$/);
    expect((await home.run('token', 'ls')).stdout).toContain(
      'servers github, read-only, lists github.get_* find_tools',
    );
    const set = await home.run(
      'token',
      'set',
      'claude',
      '--server',
      '*',
      '--no-read-only',
      '--no-find',
      '--tools',
      'github.*',
    );
    expect([set.code, set.stderr]).toEqual([0, 'client:claude reaches now: tools github.*\n']);
    expect(await home.json('token', 'ls')).toMatchObject([
      { name: 'claude', scope: { servers: null, tools: ['github.*'], risk: 'all', list: 'all', manages: false } },
    ]);
    const nothing = await home.run('token', 'set', 'claude');
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('Say what to change')]);
    const unreadable = await home.run('token', 'create', 'other', '--tools', 'github');
    expect([unreadable.code, unreadable.stderr]).toEqual([2, expect.stringContaining('github.*')]);
    const unknown = await home.run('token', 'set', 'nobody', '--read-only');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('longshore token ls')]);
  });
});
