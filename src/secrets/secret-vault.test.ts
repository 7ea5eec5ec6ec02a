import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Keychain } from './keychain.ts';
import { createSecretVault, type SecretVault } from './secret-vault.ts';

const canary = 'sk-canary-7f3a91d2c4';

let home: string;
let store: Store;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'longshore-secrets-'));
  store = await openStore({ path: join(home, 'longshore.db'), clock: systemClock });
});
afterEach(async () => {
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

/** A keychain in memory, which can be made to fail. */
function memoryKeychain() {
  const kept = new Map<string, string>();
  const state: { kept: Map<string, string>; fault: string | undefined } = { kept, fault: undefined };
  async function act<Result>(result: () => Result): Promise<Result> {
    await Promise.resolve();
    if (state.fault !== undefined) throw new Error(state.fault);
    return result();
  }
  const keychain: Keychain = {
    set: (account, value) => act(() => void kept.set(account, value)),
    get: account => act(() => kept.get(account)),
    remove: account => act(() => kept.delete(account)),
  };
  return { ...state, keychain, fail: (why: string | undefined) => void (state.fault = why) };
}

const noKeychain = memoryKeychain();
noKeychain.fail('no keychain on this machine');

function vaultWith(keychain: Keychain): SecretVault {
  return createSecretVault({ secrets: store.secrets, home, keychainToTry: keychain, keychain });
}

async function failure(promise: Promise<unknown>): Promise<LongshoreError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof LongshoreError)) throw new Error(`expected a LongshoreError, got ${String(error)}`);
  return error;
}

function filesOfHome(): string {
  return readdirSync(home)
    .map(file => readFileSync(join(home, file), 'latin1'))
    .join('\n');
}

describe('secrets without a keychain', () => {
  it('are encrypted in the database, and the first use says so and why', async () => {
    const vault = vaultWith(noKeychain.keychain);
    expect(await vault.provider()).toBeUndefined();
    const first = await vault.set('TOKEN', canary);
    expect(first.provider).toBe('encrypted-file');
    expect(first.firstUse).toContain('no keychain on this machine');
    expect(first.firstUse).toContain(join(home, 'secrets.key'));
    expect(await vault.set('OTHER', 'x')).toEqual({ provider: 'encrypted-file', firstUse: undefined });
    expect(await vault.provider()).toBe('encrypted-file');
    expect(await vault.get('TOKEN')).toBe(canary);
  });

  it('S15: leave no value in any file of the home, replaced and removed ones included', async () => {
    const vault = vaultWith(noKeychain.keychain);
    await vault.set('A', `${canary}-one`);
    await vault.set('A', `${canary}-two`);
    await vault.set('B', `${canary}-three`);
    await vault.remove('B');
    expect(filesOfHome()).not.toContain(canary);
    await store.close();
    expect(filesOfHome()).not.toContain(canary);
  });

  it('have a key file that only its owner may read, and take it back from others', async () => {
    const vault = vaultWith(noKeychain.keychain);
    await vault.set('TOKEN', canary);
    const keyFile = join(home, 'secrets.key');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    chmodSync(keyFile, 0o644);
    expect(await vault.get('TOKEN')).toBe(canary);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  });

  it('are still there after a restart', async () => {
    await vaultWith(noKeychain.keychain).set('TOKEN', canary);
    await store.close();
    store = await openStore({ path: join(home, 'longshore.db'), clock: systemClock });
    expect(await vaultWith(noKeychain.keychain).get('TOKEN')).toBe(canary);
  });

  it('come back whatever they are made of', async () => {
    const vault = vaultWith(noKeychain.keychain);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async value => {
        await vault.set('ANY', value);
        expect(await vault.get('ANY')).toBe(value);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['a bit flipped', (bytes: Uint8Array) => bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte))],
    ['cut short', (bytes: Uint8Array) => bytes.subarray(0, 20)],
    ['emptied', () => new Uint8Array()],
    ['of an unknown form', (bytes: Uint8Array) => bytes.map((byte, at) => (at === 0 ? 9 : byte))],
  ])('that are damaged say which and what to do, and can be removed and set again: %s', async (_, damage) => {
    const vault = vaultWith(noKeychain.keychain);
    await vault.set('TOKEN', canary);
    const row = await store.secrets.get('TOKEN');
    await store.secrets.put({
      name: 'TOKEN',
      provider: 'encrypted-file',
      ciphertext: damage(row?.ciphertext ?? new Uint8Array()),
    });
    const error = await failure(vault.get('TOKEN'));
    expect(error.code).toBe('secret-unreadable');
    expect(error.message).toContain('longshore secret set TOKEN');
    await vault.set('TOKEN', 'again');
    expect(await vault.get('TOKEN')).toBe('again');
  });

  it('cannot be exchanged for one another by somebody who can write the database', async () => {
    const vault = vaultWith(noKeychain.keychain);
    await vault.set('HARMLESS', 'x');
    await vault.set('TOKEN', canary);
    const token = await store.secrets.get('TOKEN');
    await store.secrets.put({
      name: 'HARMLESS',
      provider: 'encrypted-file',
      ciphertext: token?.ciphertext ?? new Uint8Array(),
    });
    expect((await failure(vault.get('HARMLESS'))).code).toBe('secret-unreadable');
  });

  it.each([
    ['missing', (keyFile: string) => rmSync(keyFile)],
    ['damaged', (keyFile: string) => writeFileSync(keyFile, 'half')],
  ])('whose key file is %s are told by its path; no new key hides the loss', async (_, harm) => {
    const vault = vaultWith(noKeychain.keychain);
    const keyFile = join(home, 'secrets.key');
    await vault.set('TOKEN', canary);
    harm(keyFile);
    for (const attempt of [() => vault.get('TOKEN'), () => vault.set('NEW', 'x')]) {
      const error = await failure(attempt());
      expect(error.code).toBe('secret-unreadable');
      expect(error.message).toContain(keyFile);
    }
    expect(await vault.remove('TOKEN')).toBe(true);
    rmSync(keyFile, { force: true });
    await vault.set('TOKEN', 'anew');
    expect(await vault.get('TOKEN')).toBe('anew');
  });

  it('share one key when several processes set their first at the same time', { timeout: 60_000 }, async () => {
    const url = (file: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, file)).href);
    const script = `
      import { openStore } from ${url('../store/store.ts')};
      import { createSecretVault } from ${url('secret-vault.ts')};
      import { systemClock } from ${url('../core/clock.ts')};
      const store = await openStore({ path: process.argv[1] + '/longshore.db', clock: systemClock });
      const refuse = () => Promise.reject(new Error('none'));
      const keychain = { set: refuse, get: refuse, remove: refuse };
      const vault = createSecretVault({ secrets: store.secrets, home: process.argv[1], keychainToTry: keychain, keychain });
      process.stdout.write('ready');
      for await (const _ of process.stdin) break;
      await vault.set(process.argv[2], 'value of ' + process.argv[2]);
      await store.close();`;
    const children = ['ONE', 'TWO', 'THREE'].map(name => ({
      name,
      child: spawn(process.execPath, ['--input-type=module', '-e', script, home, name], {
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    }));
    await Promise.all(children.map(({ child }) => new Promise(ready => child.stdout.once('data', ready))));
    for (const { child } of children) child.stdin.end('go');
    await Promise.all(
      children.map(async ({ child }) => {
        const code = new Promise(done => child.on('close', done));
        expect(await text(child.stderr)).toBe('');
        expect(await code).toBe(0);
      }),
    );
    const vault = vaultWith(noKeychain.keychain);
    for (const { name } of children) expect(await vault.get(name)).toBe(`value of ${name}`);
    expect(readdirSync(home).filter(file => file.startsWith('secrets.key'))).toEqual(['secrets.key']);
  });
});

describe('secrets with a keychain', () => {
  it('are in the keychain and nowhere else, and its probe leaves nothing behind', async () => {
    const { keychain, kept } = memoryKeychain();
    const vault = vaultWith(keychain);
    const first = await vault.set('TOKEN', canary);
    expect(first.provider).toBe('keychain');
    expect(first.firstUse).toContain('keychain');
    expect([...kept.values()]).toEqual([canary]);
    expect(await vault.get('TOKEN')).toBe(canary);
    expect(filesOfHome()).not.toContain(canary);
    expect(existsSync(join(home, 'secrets.key'))).toBe(false);
    expect(await vault.remove('TOKEN')).toBe(true);
    expect(kept.size).toBe(0);
  });

  it('stay there: a keychain that fails later is an error, and nothing is written elsewhere', async () => {
    const { keychain, fail } = memoryKeychain();
    const vault = vaultWith(keychain);
    await vault.set('TOKEN', 'first');
    fail('it is locked');
    const attempts = [() => vault.get('TOKEN'), () => vault.set('NEW', canary), () => vault.remove('TOKEN')];
    for (const attempt of attempts) {
      const error = await failure(attempt());
      expect(error.code).toBe('secret-unreadable');
      expect(error.message).toContain('it is locked');
    }
    expect((await vault.list()).map(entry => entry.name)).toEqual(['TOKEN']);
    expect(existsSync(join(home, 'secrets.key'))).toBe(false);
    fail(undefined);
    expect(await vault.get('TOKEN')).toBe('first');
  });

  it('that somebody deleted from the keychain are as if never set', async () => {
    const { keychain, kept } = memoryKeychain();
    const vault = vaultWith(keychain);
    await vault.set('TOKEN', canary);
    kept.clear();
    expect(await vault.get('TOKEN')).toBeUndefined();
    expect(await vault.remove('TOKEN')).toBe(true);
  });

  it('of two homes do not meet', async () => {
    const { keychain, kept } = memoryKeychain();
    await vaultWith(keychain).set('TOKEN', 'mine');
    const other = await openStore({ path: ':memory:', clock: systemClock });
    await createSecretVault({ secrets: other.secrets, home, keychainToTry: keychain, keychain }).set('TOKEN', 'theirs');
    expect(kept.size).toBe(2);
    expect(await vaultWith(keychain).get('TOKEN')).toBe('mine');
    await other.close();
  });

  it('are not trusted to one that gives back something else', async () => {
    const forgetful: Keychain = {
      set: () => Promise.resolve(),
      get: () => Promise.resolve(undefined),
      remove: () => Promise.resolve(true),
    };
    expect((await vaultWith(forgetful).set('TOKEN', canary)).provider).toBe('encrypted-file');
  });
});

describe('a secret', () => {
  it.each(['', '1X', 'a b', 'TOKEN=x', 'ä', 'a\n', '-x', 'x'.repeat(129)])(
    'is not named %j; the refusal does not repeat what may be a value',
    async name => {
      const error = await failure(vaultWith(noKeychain.keychain).set(name, canary));
      expect(error.code).toBe('usage');
      expect(error.message).not.toContain('TOKEN=x');
      expect(await vaultWith(noKeychain.keychain).get(name)).toBeUndefined();
    },
  );

  it.each([
    ['empty', ''],
    ['too large', 'x'.repeat(65_537)],
    ['half a character', '\ud800'],
  ])('has no value that is %s', async (_, value) => {
    const vault = vaultWith(noKeychain.keychain);
    expect((await failure(vault.set('TOKEN', value))).code).toBe('usage');
    expect(await vault.list()).toEqual([]);
  });

  it('S15: is listed by name, keeper and time, and no error holds its value', async () => {
    const broken = memoryKeychain();
    const vault = vaultWith(broken.keychain);
    await vault.set('TOKEN', canary);
    expect(await vault.list()).toEqual([
      { name: 'TOKEN', provider: 'keychain', updatedAt: expect.closeTo(Date.now(), -5) as number },
    ]);
    broken.fail('no');
    const errors = [await failure(vault.set('TOKEN', canary)), await failure(vault.get('TOKEN'))];
    expect(inspect([...errors, vault, await vault.list()], { depth: 9 })).not.toContain(canary);
  });

  it('that does not exist is undefined, and removing it does nothing', async () => {
    const vault = vaultWith(noKeychain.keychain);
    expect(await vault.get('NONE')).toBeUndefined();
    expect(await vault.remove('NONE')).toBe(false);
    expect(await vault.provider()).toBeUndefined();
  });
});
