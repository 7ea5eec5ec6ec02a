import type { PlannedServer } from '../config/planned-server.ts';
import type { Log } from '../core/ports/log.ts';
import type { Diagnostic } from '../core/words.ts';
import { Mutex } from '../lib/mutex.ts';
import type { KnownSecret } from '../secrets/known-secrets.ts';
import type { SecretVault } from '../secrets/secret-vault.ts';
import {
  type ClearSecret,
  clearSecrets,
  referredSecrets,
  withInlineVariablesInEnv,
  withSecretNames,
} from './clear-secrets.ts';

/** A plan that may be saved: no value of a secret is in it. */
export interface Secured {
  readonly planned: PlannedServer;
  /** The names that it uses of those made for it: what is removed with it. */
  readonly secrets: readonly string[];
  /** Those of them that were made just now, to be discarded if the plan is not saved after all. */
  readonly made: readonly string[];
  /** What was stored where, for the person who saves it. */
  readonly notes: readonly Diagnostic[];
}

interface Stored {
  readonly made: readonly string[];
  readonly firstUse: string | undefined;
}

/** Moves the secrets of servers into the secret store before anything of them is saved. */
export class ServerSecrets {
  readonly #vault: Pick<SecretVault, 'set' | 'get' | 'list' | 'remove'>;
  readonly #learn: (secrets: readonly KnownSecret[]) => void;
  readonly #log: Log;
  /** Choosing free names and taking them is one step. */
  readonly #queue = new Mutex();

  constructor(needs: {
    readonly vault: Pick<SecretVault, 'set' | 'get' | 'list' | 'remove'>;
    /** Told which values must be masked from now on. */
    readonly onSecrets: (secrets: readonly KnownSecret[]) => void;
    readonly log: Log;
  }) {
    this.#vault = needs.vault;
    this.#learn = needs.onSecrets;
    this.#log = needs.log;
  }

  /** Throws what `secure` would throw about the plan itself, and stores nothing. */
  check(planned: PlannedServer, allowArguments: boolean): void {
    clearSecrets(withInlineVariablesInEnv(planned.config), { allowArguments });
  }

  /**
   * Stores what is secret of a plan; values that were stored for this server before keep their names. Rejects with
   * `bad-config` (see `clearSecrets`), `usage` or `secret-unreadable`; nothing new is stored then.
   */
  async secure(planned: PlannedServer, before: readonly string[], allowArguments: boolean): Promise<Secured> {
    const config = withInlineVariablesInEnv(planned.config);
    const clear = clearSecrets(config, { allowArguments });
    this.#learn(clear.map(({ variable, value }) => ({ name: variable, value })));
    const names = await this.#known(clear, before);
    const { made, firstUse } = await this.#queue.run(() => this.#store(planned.name, clear, names));
    const secured = withSecretNames(config, names);
    const used = new Set(referredSecrets(JSON.stringify(secured)));
    const secrets = [...new Set([...before, ...made])].filter(name => used.has(name));
    return { planned: { ...planned, config: secured }, secrets, made, notes: notesOn(made, firstUse) };
  }

  /** The plan with the names of those of its secrets that are stored already; nothing is stored and nothing refused. */
  async secured(planned: PlannedServer, before: readonly string[]): Promise<PlannedServer> {
    const config = withInlineVariablesInEnv(planned.config);
    const names = await this.#known(clearSecrets(config, { allowArguments: true }), before);
    return { ...planned, config: withSecretNames(config, names) };
  }

  /** Removes stored secrets; returns the names of those that could not be removed, and the log says why. */
  async discard(names: readonly string[]): Promise<readonly string[]> {
    const left: string[] = [];
    for (const name of names) {
      try {
        await this.#vault.remove(name);
      } catch (error) {
        left.push(name);
        this.#log.warn(
          { secret: name, error: String(error) },
          'A secret that nothing uses any more could not be removed.',
        );
      }
    }
    return left;
  }

  /** The names that values have already, by value. */
  async #known(clear: readonly ClearSecret[], before: readonly string[]): Promise<Map<string, string>> {
    const wanted = new Set(clear.map(secret => secret.value));
    const names = new Map<string, string>();
    if (wanted.size === 0) return names;
    for (const name of before) {
      // One that cannot be read is stored anew under another name.
      const value = await this.#vault.get(name).catch(() => undefined);
      if (value !== undefined && wanted.has(value)) names.set(value, name);
    }
    return names;
  }

  async #store(server: string, clear: readonly ClearSecret[], names: Map<string, string>): Promise<Stored> {
    const missing = clear.filter(({ value }, index) => {
      return !names.has(value) && clear.findIndex(other => other.value === value) === index;
    });
    if (missing.length === 0) return { made: [], firstUse: undefined };
    const taken = new Set((await this.#vault.list()).map(secret => secret.name));
    const made: string[] = [];
    let sentence: string | undefined;
    try {
      for (const { variable, value } of missing) {
        const name = freeName(server, variable, taken);
        const { firstUse } = await this.#vault.set(name, value);
        sentence ??= firstUse;
        taken.add(name);
        made.push(name);
        names.set(value, name);
      }
      return { made, firstUse: sentence };
    } catch (error) {
      await this.discard(made);
      throw error;
    }
  }
}

function notesOn(made: readonly string[], firstUse: string | undefined): readonly Diagnostic[] {
  if (made.length === 0) return [];
  const stored = { code: 'secrets-stored', message: `Stored as secrets, and only referred to: ${made.join(', ')}.` };
  return firstUse === undefined ? [stored] : [stored, { code: 'secrets-kept', message: firstUse }];
}

/** `github.TOKEN`, in the characters that a secret's name may have; numbered where that is taken. */
function freeName(server: string, variable: string, taken: ReadonlySet<string>): string {
  const plain = (text: string) => text.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, '');
  const base = `${plain(server) || 'server'}.${plain(variable) || 'secret'}`
    .replace(/^(?![A-Za-z_])/, '_')
    .slice(0, 120);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(name)) return name;
  }
}
