import { describe, expect, it } from 'vitest';
import { savedWorld } from '../../test/fixtures/saved-world.ts';
import { importFiles } from './import-files.ts';

const canary = 'sk-canary-7f3a91d2c4b8';
const ground = { platform: 'linux', home: '/home/ann' } as const;

/** What became of each server of each file. */
const actions = (files: Awaited<ReturnType<typeof importFiles>>) =>
  files.map(({ servers }) => servers.map(({ name, action, enabled }) => `${name} ${action}${enabled ? '' : ' off'}`));

const vscode = `{
  // asked once
  "inputs": [{ "id": "quay-token", "type": "promptString", "description": "Token of Quay" }],
  "servers": {
    "quay": { "type": "http", "url": "https://quay.example/mcp", "headers": { "Authorization": "Bearer \${input:quay-token}" } },
    "tools": { "command": "./tools/run", "args": ["\${workspaceFolder}/data", "~/notes"], "env": { "A_TOKEN": "YOUR_TOKEN" } },
  },
}`;

describe('an import of files', () => {
  it('R21, R22: gives every reference an owner: questions and placeholders are secrets, folders are paths', async () => {
    await using world = await savedWorld();
    const files = [{ path: '/work/demo/.vscode/mcp.json', text: vscode }];
    const [file] = await world.saved().importFiles(files, { ...ground, dryRun: false });
    expect(file).toMatchObject({ dialect: 'vscode', path: '/work/demo/.vscode/mcp.json' });
    expect(file?.servers.flatMap(({ needs }) => needs)).toEqual([
      { name: 'quay-token', prompt: 'Token of Quay' },
      { name: 'tools.A_TOKEN', prompt: 'A_TOKEN of tools' },
    ]);
    const saved = await world.store.servers.list();
    expect(saved.map(({ config }) => config)).toEqual([
      {
        name: 'quay',
        transport: 'streamable-http',
        endpoint: 'https://quay.example/mcp',
        headers: { Authorization: 'Bearer ${secret:quay-token}' },
      },
      {
        name: 'tools',
        command: './tools/run',
        args: ['/work/demo/data', '/home/ann/notes'],
        env: { A_TOKEN: '${secret:tools.A_TOKEN}' },
        cwd: '/work/demo',
      },
    ]);
    expect(world.started).toEqual([]);
  });

  it('R22: changes nothing the second time, and records nothing', async () => {
    await using world = await savedWorld();
    const files = [{ path: '/work/demo/.vscode/mcp.json', text: vscode }];
    await world.saved().importFiles(files, { ...ground, dryRun: false });
    const before = await world.store.servers.list();
    const recorded = world.recorded.length;
    const again = await world.saved().importFiles(files, { ...ground, dryRun: false });
    expect(actions(again)).toEqual([['quay same', 'tools same']]);
    expect(await world.store.servers.list()).toEqual(before);
    expect(world.recorded).toHaveLength(recorded);
  });

  it('S15: shows no secret, keeps each in the store, and turns off what has one in its command line', async () => {
    await using world = await savedWorld();
    const text = JSON.stringify({
      mcpServers: {
        env: { command: 'x', env: { A_KEY: canary } },
        args: { command: 'x', args: ['--token', canary] },
        mixed: { command: 'x', env: { A_KEY: `\${env:B:-${canary}}` } },
      },
    });
    for (const dryRun of [true, false]) {
      const files = await world.saved().importFiles([{ text }], { ...ground, dryRun });
      expect(actions(files)).toEqual([['env add', 'args add off', 'mixed skip']]);
      expect(JSON.stringify(files)).not.toContain(canary);
      expect(files[0]?.servers.map(({ config }) => config)).toEqual([
        { name: 'env', command: 'x', env: { A_KEY: '«secret»' } },
        { name: 'args', command: 'x', args: ['--token', '«secret»'] },
        { name: 'mixed', command: 'x', env: { A_KEY: '«secret»' } },
      ]);
    }
    expect(JSON.stringify(await world.store.servers.list())).not.toContain(canary);
  });

  it('R22: takes one server of three clients once, leaves a different one of the same name out, and its own entry too', async () => {
    await using world = await savedWorld();
    const of = (entry: object) => JSON.stringify({ mcpServers: { notes: entry } });
    const own = { longshore: { command: '/usr/bin/node', args: ['/opt/longshore.js', 'mcp', '--caller', 'cursor'] } };
    const files = [
      { path: '/home/ann/.cursor/mcp.json', text: of({ command: 'x' }) },
      { path: '/home/ann/.kiro/settings/mcp.json', text: of({ command: 'x', autoApprove: ['a'] }) },
      { path: '/home/ann/.gemini/settings.json', text: of({ command: 'y' }) },
      { path: '/home/ann/.trae/mcp.json', text: JSON.stringify({ mcpServers: own }) },
    ];
    const saved = world.saved();
    const found = await saved.importFiles(files, { ...ground, dryRun: true });
    expect(actions(found)).toEqual([['notes add'], ['notes same'], ['notes skip'], ['longshore skip']]);
    expect(found[2]?.servers[0]?.warnings.map(({ code }) => code)).toEqual(['conflict']);
    await saved.importFiles(files, { ...ground, dryRun: false, prefer: 'gemini' });
    expect((await world.store.servers.list()).map(({ config }) => config?.['command'])).toEqual(['y']);
  });

  it('R22: says where a file cannot be read, and takes the others', async () => {
    await using world = await savedWorld();
    const files = [
      { path: '/a/mcp.json', text: '{"mcpServers":\n {"a": {"command": "x"}' },
      { path: '/b/mcp.json', text: '{"mcpServers": {"b": {"command": "x"}}}' },
      { path: '/c/.cursor/mcp.json', text: '' },
    ];
    const read = await world.saved().importFiles(files, { ...ground, dryRun: false });
    expect(read[0]?.error).toMatchObject({ reason: 'parse', line: 2, column: 24 });
    expect(actions(read)).toEqual([[], ['b add'], []]);
  });

  it('keeps time-outs, tools, env files and descriptions, and turns off what is for another platform', async () => {
    await using world = await savedWorld();
    const entry = { timeout: 90, disabledTools: ['burn'], description: 'Notes' };
    const text = JSON.stringify({
      mcpServers: {
        a: { command: 'x', envFile: '.env', ...entry },
        b: { command: 'cmd', args: ['/c', 'npx', 'b'] },
        c: { command: 'C:\\Program Files\\c.exe' },
      },
    });
    const files = [{ path: '/work/demo/.roo/mcp.json', text }];
    expect(actions(await world.saved().importFiles(files, { ...ground, dryRun: false }))).toEqual([
      ['a add', 'b add off', 'c add off'],
    ]);
    const [a] = await world.store.servers.list();
    expect(a?.config).toEqual({
      name: 'a',
      command: 'x',
      envFile: '/work/demo/.env',
      deadlines: { callIdle: 90_000, callTotal: 900_000 },
      deniedTools: ['burn'],
      description: 'Notes',
    });
  });
});

describe('undoing an import', () => {
  it('R22: removes what was added and puts back what was changed, but for what was changed since', async () => {
    await using world = await savedWorld();
    const saved = world.saved();
    await saved.add({ name: 'old', command: 'before' });
    const entries = { old: { command: 'after' }, fresh: { command: 'x' }, touched: { command: 'x' } };
    const files = [{ path: '/home/ann/.cursor/mcp.json', text: JSON.stringify({ mcpServers: entries }) }];
    await saved.importFiles(files, { ...ground, dryRun: false });
    expect(await saved.importedFrom()).toEqual({ cursor: expect.arrayContaining(['old', 'fresh', 'touched']) });
    await new Promise(resolve => setTimeout(resolve, 5));
    await saved.change('touched', { command: 'y' });
    expect(await saved.undoImport()).toEqual({ removed: ['fresh'], restored: ['old'], left: ['touched'] });
    const rows = await world.store.servers.list();
    expect(rows.map(({ name, config }) => [name, config?.['command']])).toEqual([
      ['old', 'before'],
      ['touched', 'y'],
    ]);
    expect(await saved.undoImport()).toEqual({ removed: [], restored: [], left: [] });
  });
});
