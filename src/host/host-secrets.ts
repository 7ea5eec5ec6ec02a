import type { SecretProvider, Secrets } from '../core/ports/secret-rows.ts';
import type { Caller } from '../core/words.ts';
import type { Audit } from '../governance/audit/audit.ts';
import { recordedChange } from '../governance/audit/recorded-change.ts';
import { type Keychain, osKeychain } from '../secrets/keychain.ts';
import type { KnownSecret } from '../secrets/known-secrets.ts';
import {
  checkSecret,
  createSecretVault,
  type SecretEntry,
  type SecretStored,
  type SecretVault,
} from '../secrets/secret-vault.ts';

/** The secrets of a home as the operator's edges see them: values go in and never come out. `actor` stands in the record; default `library`. */
export interface HostSecrets {
  /** Stores or replaces; `usage` for a bad name or value, `secret-unreadable` where its keeper fails. */
  set(name: string, value: string, by?: { readonly actor?: Caller }): Promise<SecretStored>;
  /** By name. */
  list(): Promise<readonly SecretEntry[]>;
  /** True if there was one. */
  remove(name: string, by?: { readonly actor?: Caller }): Promise<boolean>;
  /** Where they are kept; undefined until the first is set. */
  provider(): Promise<SecretProvider | undefined>;
}

/** Milliseconds that a person at a first use waits for a keychain to show itself, and that one may ask for its password. */
const toTry = 5_000;
const toUse = 60_000;

/** The secret store of a home, or without one a keychain that nothing outlives. */
export function openVault(
  secrets: Secrets,
  home: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): SecretVault {
  if (home === undefined) {
    const keychain = keychainInMemory();
    return createSecretVault({ secrets, home: '', keychainToTry: keychain, keychain });
  }
  const keychainToTry = osKeychain({ env, limit: toTry });
  return createSecretVault({ secrets, home, keychainToTry, keychain: osKeychain({ env, limit: toUse }) });
}

/** The secret store with every change of it recorded before it is made, and every new value masked from then on. */
export function hostSecrets(needs: {
  readonly vault: SecretVault;
  readonly audit: Pick<Audit, 'change' | 'note'>;
  readonly onSecrets: (secrets: readonly KnownSecret[]) => void;
}): HostSecrets {
  const { vault, audit } = needs;
  return {
    async set(name, value, { actor: caller = 'library' } = {}) {
      checkSecret(name, value);
      needs.onSecrets([{ name, value }]);
      return await recordedChange(audit, { action: 'secret_set', subject: name, caller }, () => vault.set(name, value));
    },
    list: () => vault.list(),
    async remove(name, { actor: caller = 'library' } = {}) {
      const known = (await vault.list()).some(secret => secret.name === name);
      if (!known) return false;
      return await recordedChange(audit, { action: 'secret_removed', subject: name, caller }, () => vault.remove(name));
    },
    provider: () => vault.provider(),
  };
}

function keychainInMemory(): Keychain {
  const kept = new Map<string, string>();
  return {
    set: (account, value) => Promise.resolve(void kept.set(account, value)),
    get: account => Promise.resolve(kept.get(account)),
    remove: account => Promise.resolve(kept.delete(account)),
  };
}
