import { spawn } from 'node:child_process';
import { createPublicKey, sign, verify } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import { readIdentity, resolveAgentId } from './identity.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-identity-'));
  path = join(folder, 'identity.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function refusal(act: () => unknown): LongshoreError {
  try {
    act();
  } catch (error) {
    if (error instanceof LongshoreError) return error;
    throw error;
  }
  throw new Error('expected a LongshoreError');
}

interface IdentityFile {
  did: string;
  privateKey: Record<string, string>;
}

describe('the identity of a home', () => {
  it('R66: is made at first use, stays, and its DID belongs to its key', () => {
    const first = readIdentity(path);
    const second = readIdentity(path);
    expect(first.agentId).toMatch(/^did:key:z6Mk/);
    expect(second.agentId).toBe(first.agentId);
    const signature = sign(null, Buffer.from('x'), first.privateKey);
    expect(verify(null, Buffer.from('x'), createPublicKey(second.privateKey), signature)).toBe(true);
    expect(readdirSync(folder)).toEqual(['identity.json']);
  });

  it('can be read by its owner only, and is taken back where others could read it', () => {
    const { agentId } = readIdentity(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    expect(readIdentity(path).agentId).toBe(agentId);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is the same for all processes that make it at once', async () => {
    const module = pathToFileURL(join(import.meta.dirname, 'identity.ts')).href;
    const script = `
      import { readIdentity } from ${JSON.stringify(module)};
      process.stdin.once('data', () => {
        console.log(readIdentity(${JSON.stringify(path)}).agentId);
        process.exit(0);
      });
      console.log('ready');`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    await Promise.all(children.map(child => new Promise(resolve => child.stdout.once('readable', resolve))));
    for (const child of children) child.stdin.write('go\n');
    const outputs = await Promise.all(children.map(child => text(child.stdout)));
    const own = readIdentity(path).agentId;
    expect(outputs).toEqual(children.map(() => `ready\n${own}\n`));
    expect(readdirSync(folder)).toEqual(['identity.json']);
  });

  it.each<[string, (file: IdentityFile) => unknown]>([
    ['empty', () => ''],
    ['cut off', file => JSON.stringify(file).slice(0, 60)],
    ['another DID', file => ({ ...file, did: 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH' })],
    ['no key', ({ did }) => ({ did })],
    ['half a key', file => ({ ...file, privateKey: { ...file.privateKey, d: file.privateKey['d']?.slice(0, 9) } })],
    ['another kind of key', file => ({ ...file, privateKey: { ...file.privateKey, crv: 'X25519' } })],
    ['a list', () => []],
  ])('is refused where the file does not hold together (%s), left as it is, and its key not repeated', (_, damage) => {
    readIdentity(path);
    const file = JSON.parse(readFileSync(path, 'utf8')) as IdentityFile;
    const damaged = damage(file);
    const written = typeof damaged === 'string' ? damaged : JSON.stringify(damaged);
    writeFileSync(path, written);
    const error = refusal(() => readIdentity(path));
    expect(error.code).toBe('invalid-identity');
    expect(error.message).toContain(path);
    expect(error.cause).toBeUndefined();
    expect(error.message).not.toContain(file.privateKey['d']?.slice(0, 9));
    expect(readFileSync(path, 'utf8')).toBe(written);
  });
});

describe('resolveAgentId', () => {
  const own = 'did:key:z6MkOwn' as AgentId;

  it('R66: takes the agentId of a host that has one, and does not even look at its own', () => {
    const never = (): AgentId => {
      throw new Error('the own identity was asked for');
    };
    expect(resolveAgentId({ agentId: 'did:x:1' }, never)).toBe('did:x:1');
  });

  it.each([
    [''],
    [' '],
    [' did:x:1'],
    ['did:x:1 '],
    ['did:x:1\n'],
    ['did:x:\u00a01'],
    ['did:x'],
    ['ann'],
    [null],
    [undefined],
    [7],
  ])('R66: fails for agentId %j, without falling back to anything', agentId => {
    expect(refusal(() => resolveAgentId({ agentId }, () => own)).code).toBe('invalid-identity');
  });

  it('R66: a host that has only another field has no agentId for that, and gets the own one of the home', () => {
    const host: { did: string; agentId?: unknown } = { did: 'did:x:1' };
    expect(resolveAgentId(host, () => own)).toBe(own);
  });
});
