import type { AgentId, ServerKey } from '../core/ids.ts';
import type { Log } from '../core/ports/log.ts';
import type { Mount } from '../core/ports/mount.ts';
import type { Definition, Handle, SelfDescription } from '../core/words.ts';
import type { Registry } from '../governance/registry/registry.ts';
import { Mutex } from '../lib/mutex.ts';
import type { CachedDefinition, CachedDefinitions } from '../store/cached-definitions.ts';
import type { Descriptions } from '../store/descriptions.ts';
import type { Restored } from './fleet.ts';

/** What a saved server last offered, as the fleet takes it. */
export type LastSeen = NonNullable<Restored['last']>;

type Entries = readonly Omit<CachedDefinition, 'discoveredAt'>[];

/** Keeps what saved servers offer, so that a restart needs to start none of them to list their tools. */
export class DefinitionCache {
  readonly #stored: CachedDefinitions;
  readonly #descriptions: Descriptions;
  readonly #log: Log;
  readonly #queue = new Mutex();
  /** Saved servers by agent and key. */
  readonly #ids = new Map<string, string>();
  /** What is stored of each server, so that the same is not written again at every start of it. */
  readonly #known = new Map<string, string>();

  constructor(stored: CachedDefinitions, descriptions: Descriptions, log: Log) {
    this.#stored = stored;
    this.#descriptions = descriptions;
    this.#log = log;
  }

  /** From now on what is mounted of that server is kept. */
  follow(agentId: AgentId, key: ServerKey, serverId: string): void {
    this.#ids.set(`${agentId} ${key}`, serverId);
  }

  unfollow(agentId: AgentId, key: ServerKey): void {
    this.#ids.delete(`${agentId} ${key}`);
  }

  /** What is kept of that server is no longer what it offers. */
  forget(serverId: string): void {
    this.#known.delete(serverId);
  }

  /** The mount of the fleet, with what saved servers offer written down in the background. */
  following(mount: Mount, registry: Pick<Registry, 'list'>): Mount {
    return {
      ...mount,
      mount: (discovered, reason) => {
        const diagnostics = mount.mount(discovered, reason);
        const { agentId, serverKey, epoch, said } = discovered;
        const serverId = this.#ids.get(`${agentId} ${serverKey}`);
        if (serverId === undefined || epoch === null) return diagnostics;
        const entries = registry.list(agentId, { ownerKey: serverKey }).map(entryOf);
        // Never rejects: a failure is logged, and the next start of the server writes again.
        void this.keepLogged(serverId, entries, said, serverKey);
        return diagnostics;
      },
    };
  }

  /** Writes what a server offers now; resolves when it is on disk. Rejects with `unknown-server` or `cannot-record`. */
  keep(serverId: string, entries: Entries, said: SelfDescription | undefined): Promise<void> {
    const signature = signatureOf(entries, said);
    return this.#queue.run(async () => {
      if (this.#known.get(serverId) === signature) return;
      await this.#stored.replace(serverId, entries);
      if (said !== undefined) await this.#descriptions.put(serverId, said);
      this.#known.set(serverId, signature);
    });
  }

  /** The same for what has happened anyway: never rejects, the log says why. */
  async keepLogged(
    serverId: string,
    entries: Entries,
    said: SelfDescription | undefined,
    server: string,
  ): Promise<void> {
    try {
      await this.keep(serverId, entries, said);
    } catch (error) {
      this.#log.warn({ server, error: String(error) }, 'What a server offers could not be kept for its next start.');
    }
  }

  /** What is kept of a server; undefined if it was never seen. Rejects where what is kept is damaged. */
  async last(serverId: string): Promise<LastSeen | undefined> {
    return this.#seen(serverId, await this.#stored.of(serverId), await this.#descriptions.of(serverId));
  }

  /** The same of all servers, by id; what is damaged of one is told in the log. */
  async lastOfAll(): Promise<ReadonlyMap<string, LastSeen | undefined>> {
    const seen = new Map<string, LastSeen | undefined>();
    const said = await this.#descriptions.all();
    for (const [serverId, rows] of await this.#stored.all()) {
      if (rows === undefined) this.#log.warn({ serverId }, 'What a saved server last offered cannot be read.');
      seen.set(serverId, this.#seen(serverId, rows ?? [], said.get(serverId)));
    }
    return seen;
  }

  /** Settles when everything is written. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  #seen(serverId: string, rows: readonly CachedDefinition[], said: SelfDescription | undefined): LastSeen | undefined {
    const [first] = rows;
    if (first === undefined) return undefined;
    this.#known.set(serverId, signatureOf(rows, said));
    const of = (kind: Handle['kind']): readonly Definition[] =>
      rows.filter(row => row.kind === kind).map(row => row.definition);
    const digests = new Map(rows.map(row => [row.definition, row.definitionDigest]));
    const discovery = {
      tools: of('tool'),
      resources: of('resource'),
      templates: of('template'),
      prompts: of('prompt'),
      diagnostics: [],
      digests,
      ...(said && { said }),
    };
    return { discovery, protocolVersion: first.protocolVersion };
  }
}

/** A handle as it is kept. */
export function entryOf(
  handle: Pick<Handle, 'kind' | 'wireName' | 'definition' | 'definitionDigest' | 'protocolVersion'>,
) {
  const { kind, wireName, definition, definitionDigest, protocolVersion } = handle;
  return { kind, wireName, definition, definitionDigest, protocolVersion };
}

/** Equal for entries of which nothing needs to be written. */
function signatureOf(entries: Entries, said: SelfDescription | undefined): string {
  const definitions = entries.map(entry => [entry.kind, entry.wireName, entry.definitionDigest, entry.protocolVersion]);
  return JSON.stringify([definitions, said?.instructions, said?.capabilities, said?.olderEra]);
}
