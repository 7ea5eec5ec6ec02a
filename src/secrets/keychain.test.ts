import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keychainFault, osKeychain } from './keychain.ts';

const canary = 'sk-canary-5b8e20';

/** Where Linux finds its secret service; the other systems have no such address, and their real keychain is not for tests. */
describe.runIf(process.platform === 'linux')('the keychain of a Linux desktop', () => {
  let folder: string;
  let server: Server | undefined;
  const sockets: Socket[] = [];
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'longshore-bus-'))));
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function silentBus(): Promise<string> {
    const path = join(folder, 'bus');
    server = createServer(socket => sockets.push(socket.on('error', () => {})));
    await new Promise<void>(listening => server?.listen(path, listening));
    return `unix:path=${path}`;
  }

  const env = (address: string) => ({ PATH: process.env['PATH'], DBUS_SESSION_BUS_ADDRESS: address });

  it('that is absent is told as a fault, with its reason', async () => {
    const absent = osKeychain({ env: env(`unix:path=${join(folder, 'nothing')}`), limit: 60_000 });
    const fault = await keychainFault(absent, 'probe');
    expect(fault).toMatch(/storage|secret service|dbus/i);
  });

  it('that never answers is given up after its limit, and the program that asked it is gone', async () => {
    const marker = newMarker();
    const silent = osKeychain({ env: { ...env(await silentBus()), MARKER: marker }, limit: 1_500 });
    const error: unknown = await silent.set('account', canary).catch((reason: unknown) => reason);
    expect(String(error)).toContain('did not answer within 1.5 s');
    expect(inspect(error)).not.toContain(canary);
    expect(processesWith(marker)).toEqual([]);
  });

  it('leaves no program behind when whoever asked is killed', async () => {
    const marker = newMarker();
    const script = `
      import { osKeychain } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'keychain.ts')).href)};
      const asked = osKeychain({ env: process.env, limit: 600_000 }).get('account');
      process.stdout.write('asked');
      await asked;`;
    const asker = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...env(await silentBus()), MARKER: marker },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await vi.waitFor(() => expect(sockets).toHaveLength(1), { timeout: 10_000 });
    expect(processesWith(marker)).toHaveLength(2);
    asker.kill('SIGKILL');
    await vi.waitFor(() => expect(processesWith(marker)).toEqual([]), { timeout: 10_000 });
  });

  function newMarker(): string {
    return `longshore-test-${process.pid}-${Math.random().toString(36).slice(2)}`;
  }

  function processesWith(marker: string): string[] {
    const script = 'grep -lsa "$0" /proc/[0-9]*/environ || true';
    return execFileSync('sh', ['-c', script, marker], { encoding: 'utf8' }).split('\n').filter(Boolean);
  }
});
