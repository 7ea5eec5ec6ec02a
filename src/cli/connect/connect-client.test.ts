import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { originalsOf } from '../../../test/fixtures/client-files.ts';
import { connectableClients } from '../../config/clients/connectable.ts';
import { entryIn } from '../../config/clients/edited-text.ts';
import { clientFile, namedClient } from './client-file.ts';
import { clientStatuses, planConnect, planDisconnect } from './connect-client.ts';
import { Connections } from './connections.ts';

let homeDir: string;
beforeEach(() => {
  homeDir = mkdtempSync(join(tmpdir(), 'longshore-connect-'));
});
afterEach(() => rmSync(homeDir, { recursive: true, force: true }));

const machine = () => ({ env: {}, platform: 'linux', homeDir }) as const;
const connections = () => new Connections(join(homeDir, 'longshore'));

/** Puts a client's file where the client has it. */
function put(name: string, text: string): string {
  const { path } = clientFile(namedClient(name), machine());
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o640 });
  return path;
}

describe('connect and disconnect', () => {
  it.each(connectableClients.map(client => [client.name, client] as const))(
    'give the original bytes back, whatever the file was: %s',
    (name, client) => {
      const texts = originalsOf(client);
      expect(texts.length).toBeGreaterThanOrEqual(12);
      for (const text of texts) {
        const path = put(name, text);
        planConnect(client, machine(), connections()).apply();
        expect(entryIn(readFileSync(path, 'utf8'), client)).toBeDefined();
        expect(planConnect(client, machine(), connections()).action).toBe('same');
        expect(statSync(path).mode & 0o777).toBe(0o640);
        planDisconnect(client, machine(), connections()).apply();
        expect(readFileSync(path)).toEqual(Buffer.from(text));
      }
    },
  );

  it('make a file that is not there, and remove it again', () => {
    const client = namedClient('gemini');
    const { path } = clientFile(client, machine());
    expect(clientStatuses(machine()).find(one => one.client === 'gemini')?.state).toBe('not found');
    planConnect(client, machine(), connections()).apply();
    expect(clientStatuses(machine()).find(one => one.client === 'gemini')?.state).toBe('connected');
    planDisconnect(client, machine(), connections()).apply();
    expect(existsSync(path)).toBe(false);
  });

  it('take only the entry out of a file that was changed since, and of one that nobody remembers', () => {
    const client = namedClient('cursor');
    const path = put('cursor', '{\n  "mcpServers": {\n    "a": { "command": "x" } // mine\n  }\n}\n');
    planConnect(client, machine(), connections()).apply();
    writeFileSync(path, readFileSync(path, 'utf8').replace('"x"', '"y"'));
    planDisconnect(client, machine(), connections()).apply();
    expect(readFileSync(path, 'utf8')).toContain('"a": { "command": "y" }');
    expect(readFileSync(path, 'utf8')).toContain('// mine');
    expect(readFileSync(path, 'utf8')).not.toContain('longshore');
  });

  it('leave no older entry behind, and write through a link', () => {
    const client = namedClient('cursor');
    const path = put('cursor', '{"mcpServers": {"longshore": {"command": "/gone/node"}}}');
    const real = join(homeDir, 'dotfile.json');
    writeFileSync(real, readFileSync(path));
    rmSync(path);
    symlinkSync(real, path);
    expect(clientStatuses(machine()).find(one => one.client === 'cursor')).toMatchObject({
      state: 'broken',
      reason: '/gone/node is gone',
    });
    planConnect(client, machine(), connections()).apply();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    planDisconnect(client, machine(), connections()).apply();
    expect(entryIn(readFileSync(real, 'utf8'), client)).toBeUndefined();
  });

  it('leave a file alone that cannot be read, and say which and where', () => {
    const path = put('vscode', '{\n  "servers": {');
    expect(() => planConnect(namedClient('vscode'), machine(), connections())).toThrow(
      `${path}: The file cannot be read: line 2`,
    );
    expect(readFileSync(path, 'utf8')).toBe('{\n  "servers": {');
    expect(clientStatuses(machine()).find(one => one.client === 'vscode')?.state).toBe('unreadable');
  });

  it('write nothing over what another program has written meanwhile, and leave no draft', () => {
    const client = namedClient('cursor');
    const path = put('cursor', '{}');
    const edit = planConnect(client, machine(), connections());
    writeFileSync(path, '{"other": 1}');
    expect(() => edit.apply()).toThrow('changed by another program');
    expect(readFileSync(path, 'utf8')).toBe('{"other": 1}');
    expect(readdirSync(dirname(path))).toEqual(['mcp.json']);
  });

  it('S15: show no secret of the file in what would be changed', () => {
    const client = namedClient('cursor');
    put('cursor', '{"mcpServers": {"a": {"env": {"A_TOKEN": "hidden-canary"}, "url": "https://u:hidden-canary@h"}}}');
    const { diff } = planConnect(client, machine(), connections());
    expect(diff).toContain('«secret»');
    expect(diff).not.toContain('hidden-canary');
  });
});
