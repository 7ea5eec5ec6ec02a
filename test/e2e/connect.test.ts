import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { connectableClients } from '../../src/config/clients/connectable.ts';
import { longshoreHome } from './longshore-home.ts';

const patience = 90_000;

it('connect writes an entry that starts the bridge, and disconnect gives the file back to the byte', {
  timeout: patience,
}, async () => {
  const user = mkdtempSync(join(tmpdir(), 'longshore-user-'));
  await using home = longshoreHome({ HOME: user });
  const file = join(user, '.cursor', 'mcp.json');
  const text = '\uFEFF{\r\n\t// mine\r\n\t"mcpServers": {},\r\n}';
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const dry = await home.run('connect', 'cursor', '--dry-run');
  expect(dry.stdout).toContain('+\t\t"longshore": {');
  expect(readFileSync(file, 'utf8')).toBe(text);

  expect((await home.run('connect', 'cursor')).code).toBe(0);
  const written = readFileSync(file, 'utf8');
  expect(written).toContain('\t// mine\r\n');
  expect(written).not.toMatch(/lsc_/);
  expect((await home.run('token', 'ls')).stdout).toContain('cursor');
  expect((await home.run('connect', '--status')).stdout).toMatch(/^cursor +connected/m);

  const { mcpServers } = JSON.parse(
    written
      .replace('\uFEFF', '')
      .replace('// mine', '')
      .replace(/,(?=\s*\}$)/, ''),
  );
  const { command, args, env } = mcpServers.longshore;
  const bridge = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const [answer] = await once(bridge.stdout, 'data');
  expect(JSON.parse(String(answer)).result.serverInfo.name.toLowerCase()).toBe('longshore');
  bridge.stdin.end();
  await once(bridge, 'exit');

  expect((await home.run('disconnect', '--all')).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(text);
  rmSync(user, { recursive: true });
});

it('R22: import finds the files of clients, saves them only when told to, and takes the import back', {
  timeout: patience,
}, async () => {
  const user = mkdtempSync(join(tmpdir(), 'longshore-user-'));
  await using home = longshoreHome({ HOME: user, XDG_CONFIG_HOME: join(user, '.config') });
  const put = (text: string, ...steps: readonly string[]) => {
    mkdirSync(dirname(join(user, ...steps)), { recursive: true });
    writeFileSync(join(user, ...steps), text);
  };
  put('{"mcpServers": {"notes": {"command": "true"}}}', '.cursor', 'mcp.json');
  put('{"servers": {"notes": {"command": "true"},},}', '.config', 'Code', 'User', 'profiles', 'a1', 'mcp.json');
  put('[mcp_servers.peak]\ncommand = "true"\n', '.codex', 'config.toml');
  const asked = await home.run('import');
  expect({ code: asked.code, out: asked.stdout.match(/would be added +\w+/g)?.length }).toEqual({ code: 2, out: 2 });
  expect(await home.json('list')).toMatchObject({ servers: [] });
  expect((await home.run('import', '--yes')).code).toBe(0);
  const names = async () =>
    ((await home.json('list')) as { servers: { name: string }[] }).servers.map(({ name }) => name);
  expect(await names()).toEqual(['notes', 'peak']);
  await home.run('connect', 'codex');
  const tokens = (await home.json('token', 'ls')) as { name: string; scope: { servers: string[] | null } }[];
  expect(tokens.find(({ name }) => name === 'codex')?.scope.servers).toEqual(['peak']);
  expect((await home.run('import', '--undo')).stdout).toMatch(/^removed: (notes, peak|peak, notes)\n$/);
  expect(await names()).toEqual([]);
  rmSync(user, { recursive: true });
});

it('connect says what there is where a client is unknown, or none is named', { timeout: patience }, async () => {
  await using home = longshoreHome();
  const unknown = await home.run('connect', 'emacs');
  expect(unknown.code).toBe(2);
  for (const { name } of connectableClients) expect(unknown.stderr).toContain(name);
  expect((await home.run('connect')).code).toBe(2);
  expect((await home.run('disconnect')).code).toBe(2);
});
