import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { LongshoreError } from '../core/errors.ts';
import type { SecretProvider, SecretRow, Secrets, VaultChoice } from '../core/ports/secret-rows.ts';
import { type Keychain, keychainFault } from './keychain.ts';
import { seal, unseal } from './secret-cipher.ts';
import { keyToOpen, keyToSeal } from './secret-key.ts';

/** What may be shown of a secret. */
export type SecretEntry = Omit<SecretRow, 'ciphertext'>;

/** Where a secret was put. */
export interface SecretStored {
  readonly provider: SecretProvider;
  /** One sentence about where secrets are kept from now on; only at the first use in this home. */
  readonly firstUse: string | undefined;
}

/** The secrets of one home. No error, log or listing ever holds a value. */
export interface SecretVault {
  /** Stores or replaces. `usage` for a bad name or value, `secret-unreadable` where its keeper fails. */
  set(name: string, value: string): Promise<SecretStored>;
  /** The value, or undefined if there is none; takes any text, so it is the `secret` source of config references. */
  get(name: string): Promise<string | undefined>;
  /** By name; never values. */
  list(): Promise<readonly SecretEntry[]>;
  /** True if there was one. Works for a value that can no longer be read, too. */
  remove(name: string): Promise<boolean>;
  /** Where secrets are kept; undefined until the first is set. */
  provider(): Promise<SecretProvider | undefined>;
}

export interface SecretVaultDeps {
  readonly secrets: Secrets;
  /** The home folder, for the key file. */
  readonly home: string;
  /** For the round trip that decides; its limit should suit somebody who waits for an answer. */
  readonly keychainToTry: Keychain;
  /** For everything afterwards; may wait for a person who unlocks it. */
  readonly keychain: Keychain;
}

const namePattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;

/** The largest value in bytes: more than any key, certificate chain or service account file. */
const valueLimit = 65_536;

/**
 * Keeps secrets in the keychain where one works, else encrypted in the database with a key file beside it. Which of the
 * two is found out at the first use, remembered and said; a keychain that fails later is an error, never a reason to put
 * a value elsewhere.
 */
export function createSecretVault(needs: SecretVaultDeps): SecretVault {
  const { secrets, keychain } = needs;
  const keyFile = join(needs.home, 'secrets.key');
  let choosing: Promise<{ choice: VaultChoice; firstUse: string | undefined }> | undefined;

  async function choose(): Promise<{ choice: VaultChoice; firstUse: string | undefined }> {
    const made = await secrets.choice();
    if (made) return { choice: made, firstUse: undefined };
    const fault = await keychainFault(needs.keychainToTry, `probe-${randomBytes(8).toString('hex')}`);
    const choice = await secrets.choose(fault === undefined ? 'keychain' : 'encrypted-file');
    return { choice, firstUse: firstUseSentence(choice.provider, keyFile, fault) };
  }

  async function chosen() {
    choosing ??= choose();
    try {
      return await choosing;
    } finally {
      // Only those who wait for the same first choice share it; afterwards the database knows.
      choosing = undefined;
    }
  }

  async function account(name: string): Promise<string> {
    return `${(await chosen()).choice.vaultId}/${name}`;
  }

  return {
    async set(name, value) {
      checkSecret(name, value);
      const { choice, firstUse } = await chosen();
      if (choice.provider === 'keychain') {
        await viaKeychain(name, async () => keychain.set(await account(name), value));
        await secrets.put({ name, provider: 'keychain', ciphertext: null });
      } else {
        const sealed = (await secrets.list()).filter(row => row.ciphertext !== null).map(row => row.name);
        const ciphertext = seal(keyToSeal(keyFile, sealed), await account(name), value);
        await secrets.put({ name, provider: 'encrypted-file', ciphertext });
      }
      return { provider: choice.provider, firstUse };
    },
    async get(name) {
      const row = await secrets.get(name);
      if (row === undefined) return undefined;
      if (row.ciphertext === null) return viaKeychain(name, async () => keychain.get(await account(name)));
      const value = unseal(keyToOpen(keyFile), await account(name), row.ciphertext);
      return value ?? unreadable(name, `its stored form does not fit ${keyFile} or is damaged`);
    },
    async list() {
      return (await secrets.list()).map(({ name, provider, updatedAt }) => ({ name, provider, updatedAt }));
    },
    async remove(name) {
      const row = await secrets.get(name);
      if (row === undefined) return false;
      // The row goes last: while the keychain still has the value, the list says so.
      if (row.provider === 'keychain') await viaKeychain(name, async () => keychain.remove(await account(name)));
      return secrets.remove(name);
    },
    async provider() {
      return (await secrets.choice())?.provider;
    },
  };
}

function firstUseSentence(provider: SecretProvider, keyFile: string, fault: string | undefined): string {
  if (provider === 'keychain') return "Secrets are kept in the operating system's keychain, under the name longshore.";
  const why = fault === undefined ? '' : ` because the operating system's keychain cannot be used (${fault})`;
  return `Secrets are kept encrypted in the database, with the key in ${keyFile},${why || ' as in this home before'}. Whoever can read both can read them: keep backups of the two apart.`;
}

/** Throws `usage` for a name or value that cannot be stored; no message holds the value. */
export function checkSecret(name: string, value: string): void {
  checkName(name);
  checkValue(name, value);
}

function checkName(name: string): void {
  if (namePattern.test(name)) return;
  throw new LongshoreError(
    'usage',
    'A secret is named by a letter or _ and then up to 127 of the characters A-Z a-z 0-9 _ . - (give the value afterwards, not with the name).',
  );
}

function checkValue(name: string, value: string): void {
  if (value === '') throw new LongshoreError('usage', `The value of secret ${name} is empty; nothing was stored.`);
  const size = Buffer.byteLength(value);
  if (size <= valueLimit && value.isWellFormed()) return;
  const why = size > valueLimit ? `has ${size} bytes; at most ${valueLimit} are kept` : 'is no valid Unicode text';
  throw new LongshoreError('usage', `The value of secret ${name} ${why}. Nothing was stored.`);
}

function unreadable(name: string, why: string): never {
  throw new LongshoreError(
    'secret-unreadable',
    `Secret ${name} cannot be read: ${why}. Set it again: longshore secret set ${name}`,
    { data: { secret: name } },
  );
}

async function viaKeychain<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LongshoreError(
      'secret-unreadable',
      `The operating system's keychain, which keeps secret ${name}, cannot be used: ${why}. Unlock it or start its service, then try again.`,
      { data: { secret: name } },
    );
  }
}
