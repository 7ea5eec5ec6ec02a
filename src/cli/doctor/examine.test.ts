import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { type AgentId, type InstanceId, randomId, type ServerKey } from '../../core/ids.ts';
import { openHome } from '../../store/home.ts';
import { lockHome } from '../../store/home-lock.ts';
import { openStore } from '../../store/store.ts';
import { examine } from './examine.ts';
import type { Finding, Patient } from './finding.ts';

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'longshore-doctor-'));
  folder = join(parent, 'home');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** A machine with nothing on its PATH but what a test puts there. */
function patient(env: Record<string, string> = {}): Patient {
  const bin = join(parent, 'bin');
  mkdirSync(bin, { recursive: true });
  const own = { PATH: bin, LONGSHORE_HOME: folder, LONGSHORE_PORT: '0', ...env };
  return { env: own, platform: process.platform, homeDir: parent, nodeVersion: process.version };
}

function program(name: string, script: string): void {
  const file = join(parent, 'bin', name);
  mkdirSync(join(parent, 'bin'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

async function finding(check: string, who: Patient = patient()): Promise<Finding> {
  const found = (await examine(who)).find(one => one.check === check);
  if (found === undefined) throw new Error(`nothing was said about ${check}`);
  return found;
}

const home = () => openHome({ folder, platform: process.platform, randomId });

describe('the doctor', () => {
  it('finds nothing wrong on a machine that never ran Longshore, and leaves it so', async () => {
    const problems = (await examine(patient())).filter(({ state }) => state === 'problem');
    expect(problems).toEqual([]);
    expect((await finding('home')).sentence).toContain('is not there yet');
  });

  it('has one sentence for each finding, and an action for all that is not right', async () => {
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'home-id'), 'nonsense');
    const found = await examine({ ...patient({ LONGSHORE_PROT: '1' }), nodeVersion: 'v20.1.0' });
    expect(found.filter(({ state }) => state === 'problem').map(({ check }) => check)).toEqual(['node', 'home']);
    for (const { sentence, state, action } of found) {
      expect(sentence).toMatch(/\.$/);
      expect(action === undefined).toBe(state === 'ok');
    }
  });

  it('names every bad setting, and looks no further by it', async () => {
    const found = await finding('settings', patient({ LONGSHORE_PORT: 'x' }));
    expect(found).toMatchObject({ state: 'problem', sentence: expect.stringContaining('LONGSHORE_PORT is "x"') });
  });

  it('says who may look into the home, and who holds it', async () => {
    home();
    expect(await finding('home')).toMatchObject({ state: 'ok' });
    using _ = lockHome(home(), process.pid);
    expect(await finding('lock')).toMatchObject({
      state: 'problem',
      sentence: expect.stringContaining(`${process.pid}`),
    });
  });

  it('finds a damaged database and identity, and mends neither', async () => {
    const { database, identity } = home();
    writeFileSync(database, 'x'.repeat(5_000), { mode: 0o600 });
    writeFileSync(identity, '{}', { mode: 0o600 });
    expect(await finding('database')).toMatchObject({ state: 'problem', action: expect.stringContaining('backup') });
    expect(await finding('identity')).toMatchObject({
      state: 'problem',
      action: expect.stringContaining('Restore it'),
    });
    expect(await finding('database')).toMatchObject({ state: 'problem' });
  });

  it('R62: tells of what the ledger still has, by name and with why', async () => {
    const { database } = home();
    {
      await using store = await openStore({ path: database, clock: systemClock });
      const agentId = 'did:key:z6Mk' as AgentId;
      const holding = await store.ledger.record({
        kind: 'container',
        agentId,
        serverKey: 'notes' as ServerKey,
        instance: 'i' as InstanceId,
        marker: 'm',
        name: 'mcp-notes-1',
        image: 'acme/notes:1',
      });
      await store.ledger.update(holding.id, { state: 'failed', lastError: 'the engine was away' });
    }
    const found = await finding('leftovers');
    expect(found).toMatchObject({ state: 'problem', action: expect.stringContaining('longshore serve') });
    expect(found.sentence).toBe('The container mcp-notes-1 of notes is left behind: the engine was away');
  });

  it('says which program has the port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const found = await finding('port', patient({ LONGSHORE_PORT: String(port) }));
    expect(found).toMatchObject({ state: 'problem', action: expect.stringContaining('LONGSHORE_PORT') });
    other.close();
  });

  it('says what it tried to reach Docker, and what Docker said', async () => {
    program(
      'docker',
      'echo "Cannot connect to the Docker daemon at $DOCKER_HOST. Is the docker daemon running?" >&2; exit 1',
    );
    const found = await finding('docker', patient({ DOCKER_HOST: 'unix:///none.sock' }));
    expect(found).toMatchObject({ state: 'warning', action: expect.stringContaining('Start Docker') });
    expect(found.sentence).toContain('DOCKER_HOST unix:///none.sock');
    expect(found.sentence).toContain(join(parent, 'bin', 'docker'));
    program('docker', `echo '{"Client":{},"Server":{"Version":"29.1"}}'`);
    expect(await finding('docker')).toMatchObject({ state: 'ok', sentence: expect.stringContaining('29.1') });
  });

  it('finds clients whose entry names what is gone', async () => {
    mkdirSync(join(parent, '.cursor'));
    const entry = { command: process.execPath, args: [join(parent, 'gone', 'longshore.js'), 'mcp'] };
    writeFileSync(join(parent, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: { longshore: entry } }));
    const found = await finding('clients');
    expect(found).toMatchObject({ state: 'problem', action: 'longshore connect cursor' });
    expect(found.sentence).toContain(`${join(parent, 'gone', 'longshore.js')} is gone`);
  });

  it('finds launchers where installers put them, though they are not on the PATH', async () => {
    program('npx', 'exit 0');
    expect(await finding('npx')).toMatchObject({ state: 'ok', sentence: `npx is ${join(parent, 'bin', 'npx')}.` });
    const local = join(parent, '.local', 'bin');
    mkdirSync(local, { recursive: true });
    writeFileSync(join(local, 'uvx'), '#!/bin/sh\n');
    chmodSync(join(local, 'uvx'), 0o755);
    const found = await finding('uvx', patient({ PATH: [join(parent, 'bin'), join(parent, 'b2')].join(delimiter) }));
    expect(found).toMatchObject({ state: 'ok', sentence: expect.stringContaining('not on the PATH') });
  });
});
