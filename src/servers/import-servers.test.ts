import { describe, expect, it } from 'vitest';
import { alice, savedWorld } from '../../test/fixtures/saved-world.ts';
import { asLongshoreError, type LongshoreError } from '../core/errors.ts';

const canary = 'sk-canary-7f3a91d2c4b8';

async function refusal(promise: Promise<unknown>): Promise<LongshoreError> {
  return asLongshoreError(
    await promise.then(
      () => new Error('nothing was refused'),
      (error: unknown) => error,
    ),
  );
}

/** The two samples of D1, with a token. */
const cursor = {
  mcpServers: {
    github: {
      command: 'docker',
      args: ['run', '--rm', '-i', '-e', `GITHUB_PERSONAL_ACCESS_TOKEN=${canary}`, 'ghcr.io/github/github-mcp-server'],
    },
  },
};
const desktop = {
  mcpServers: {
    brave: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-brave'], env: { BRAVE_API_KEY: canary } },
  },
};

describe('an import', () => {
  it('R20, R22: saves what is a server, skips the rest with reasons, and starts nothing', async () => {
    await using world = await savedWorld();
    const text = JSON.stringify([{ name: 'one', command: 'server' }, {}, 'x']);
    const result = await world.saved().importJson(text);
    expect(result).toEqual({
      created: [{ serverId: expect.any(String), name: 'one', notes: [] }],
      updated: [],
      skipped: [
        { index: 1, reason: expect.stringContaining('name is missing') },
        { index: 2, reason: expect.stringContaining('JSON object') },
      ],
    });
    expect(world.started).toEqual([]);
    expect((await world.saved().list()).map(({ name, state }) => [name, state])).toEqual([['one', 'stopped']]);
    expect(world.recorded).toMatchObject([{ action: 'server_saved', subject: 'one', caller: 'operator' }]);
  });

  it("S15: reads D1's samples and moves their secrets out, those inside docker run too", async () => {
    await using world = await savedWorld();
    await world.saved().importJson(JSON.stringify(cursor));
    await world.saved().importJson(JSON.stringify(desktop));
    const rows = await world.store.servers.list();
    expect(rows.map(row => [row.name, row.config?.['args'], row.config?.['env']])).toEqual([
      ['brave', ['-y', '@modelcontextprotocol/server-brave'], { BRAVE_API_KEY: '${secret:brave.BRAVE_API_KEY}' }],
      [
        'github',
        ['run', '--rm', '-i', '-e', 'GITHUB_PERSONAL_ACCESS_TOKEN', 'ghcr.io/github/github-mcp-server'],
        { GITHUB_PERSONAL_ACCESS_TOKEN: '${secret:github.GITHUB_PERSONAL_ACCESS_TOKEN}' },
      ],
    ]);
    expect(JSON.stringify(rows)).not.toContain(canary);
  });

  it('R4, R22: a name that is saved is updated, keeps id and key, and is ended first if it would start otherwise', async () => {
    await using world = await savedWorld();
    const { serverId, server } = await world.saved().add({ name: 'one', command: 'server', env: { TOKEN: canary } });
    await world.saved().add({ name: 'two', command: 'server', env: { TOKEN: canary } });
    await world.load('one');
    await world.load('two');
    const result = await world.saved().importJson(
      JSON.stringify({
        mcpServers: {
          one: { args: ['--new'], command: 'server', env: { TOKEN: canary } },
          two: { env: { TOKEN: canary }, command: 'server' },
          three: { url: 'https://h.example/mcp' },
        },
      }),
    );
    expect(result.updated.map(({ name }) => name)).toEqual(['one', 'two']);
    expect(result.updated[0]?.serverId).toBe(serverId);
    expect(result.created.map(({ name }) => name)).toEqual(['three']);
    expect(world.started.map(({ asked, closes }) => [asked.serverKey, closes])).toEqual([
      ['one', 1],
      ['two', 0],
    ]);
    const listed = await world.saved().list();
    expect(listed.map(({ name, state, tools }) => [name, state, tools.length])).toEqual([
      ['one', 'stopped', 0],
      ['three', 'stopped', 0],
      ['two', 'connected', 1],
    ]);
    expect(listed[0]).toMatchObject({ serverId, server, config: { args: ['--new'] } });
    expect((await world.vault.list()).map(secret => secret.name)).toEqual(['one.TOKEN', 'two.TOKEN']);
  });

  it('leaves a disabled server disabled, and does not carry a permission over to another config', async () => {
    await using world = await savedWorld();
    await world.saved().add({ name: 'one', command: 'server' }, { allowUnsafe: true });
    await world.saved().disable('one');
    const same = JSON.stringify({ name: 'one', command: 'server' });
    await world.saved().importJson(same);
    expect((await world.store.servers.list())[0]).toMatchObject({
      enabled: false,
      config: { settings: { allowUnsafe: true } },
    });
    await world.saved().importJson(JSON.stringify({ name: 'one', command: 'other' }));
    const [row] = await world.store.servers.list();
    expect(row).toMatchObject({ enabled: false, config: { command: 'other' } });
    expect(row?.config?.['settings']).toBeUndefined();
  });

  it('R22: a dry run says what would be done and does none of it', async () => {
    await using world = await savedWorld();
    await world.saved().add({ name: 'one', command: 'server' });
    await world.load('one');
    const before = await world.store.servers.list();
    const text = JSON.stringify([
      { name: 'one', command: 'other', env: { TOKEN: canary } },
      { name: 'two', command: 'server' },
      { name: 'three', command: 'server', args: ['--token', canary] },
    ]);
    expect(await world.saved().importJson(text, { dryRun: true })).toEqual({
      created: [{ serverId: undefined, name: 'two', notes: [] }],
      updated: [{ serverId: before[0]?.serverId, name: 'one', notes: [] }],
      skipped: [{ index: 2, reason: expect.stringContaining('args[1] holds a secret') }],
    });
    expect(await world.store.servers.list()).toEqual(before);
    expect([world.started[0]?.closes, await world.vault.list(), world.recorded.length]).toEqual([0, [], 1]);
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing is a server', [{}, 'x'], /There is no valid server.*mcpServers/],
    [
      'every server has a secret in its command line',
      [{ name: 'a', command: 'x', args: ['--token', canary] }],
      /args\[1\].*mcpServers/,
    ],
    ['the shape is none', 5, /no server configuration.*mcpServers/],
  ])('R22: is refused where %s, and does nothing', async (_, json, message) => {
    await using world = await savedWorld();
    const error = await refusal(world.saved().importJson(JSON.stringify(json)));
    expect(error.code).toBe('bad-config');
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain(canary);
    expect(await world.saved().list()).toEqual([]);
  });

  it('saves disabled what the file disables, and leaves a saved server as its owner has it', async () => {
    await using world = await savedWorld();
    const file = JSON.stringify({ mcpServers: { on: { command: 'x' }, off: { command: 'y', disabled: true } } });
    await world.saved().importJson(file);
    const states = async () => (await world.saved().list()).map(({ name, enabled }) => [name, enabled]);
    expect(await states()).toEqual([
      ['off', false],
      ['on', true],
    ]);
    await world.saved().enable('off');
    await world.saved().disable('on');
    await world.saved().importJson(file.replace('"y"', '"z"'));
    expect(await states()).toEqual([
      ['off', true],
      ['on', false],
    ]);
  });

  it('R22: is refused as invalid JSON where it is none', async () => {
    await using world = await savedWorld();
    expect((await refusal(world.saved().importJson(`{"a": ${canary}`))).message).toMatch(/^Invalid JSON/);
  });

  it('R22: is all or nothing: what cannot be recorded saves none, and what was ended sleeps as it was', async () => {
    await using world = await savedWorld();
    await world.saved().add({ name: 'one', command: 'server' });
    await world.load('one');
    world.faults.record = true;
    const text = JSON.stringify([
      { name: 'one', command: 'other', env: { TOKEN: canary } },
      { name: 'two', command: 'server', env: { TOKEN: canary } },
    ]);
    expect((await refusal(world.saved().importJson(text))).code).toBe('cannot-record');
    expect(await world.vault.list()).toEqual([]);
    expect((await world.saved().list()).map(({ name, state, config }) => [name, state, config['command']])).toEqual([
      ['one', 'stopped', 'server'],
    ]);
    expect(world.tools()).toEqual(['one__echo']);
    world.faults.record = false;
    const { created, updated } = await world.saved().importJson(text);
    expect([created, updated].map(list => list.map(({ name }) => name))).toEqual([['two'], ['one']]);
    expect((await world.saved().list()).map(({ server }) => server)).toEqual(['one', 'two']);
  });

  it('R4: a server that cannot be ended is skipped with that reason, and the others are saved', async () => {
    await using world = await savedWorld();
    await world.saved().add({ name: 'one', command: 'server' });
    await world.load('one');
    world.faults.stuck.add('one');
    const { created, updated, skipped } = await world.saved().importJson(
      JSON.stringify({
        mcpServers: { one: { command: 'other', env: { TOKEN: canary } }, two: { command: 'server' } },
      }),
    );
    expect([created.map(({ name }) => name), updated]).toEqual([['two'], []]);
    expect(skipped).toEqual([{ key: 'one', reason: 'one is still there.' }]);
    expect(await world.vault.list()).toEqual([]);
    expect((await world.store.servers.list(alice))[0]?.config?.['command']).toBe('server');
  });
});
