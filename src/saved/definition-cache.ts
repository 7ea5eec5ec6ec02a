import type { Restored } from '../connections/fleet.ts';
import { SerialQueue } from '../connections/serial-queue.ts';
import { type AgentId, type Digest, type ServerKey, sha256 } from '../core/ids.ts';
import type { Log } from '../core/ports/log.ts';
import type { Mount } from '../core/ports/mount.ts';
import type { Definition, Handle } from '../core/words.ts';
import type { Registry } from '../governance/registry.ts';
import type { CachedDefinition, CachedDefinitions } from '../store/cached-definitions.ts';

/** What a saved server last offered, as the fleet takes it. */
export type LastSeen = NonNullable<Restored['last']>;

/** Keeps what saved servers offer, so that a restart needs to start none of them to list their tools. */
export class DefinitionCache {
  readonly #stored: CachedDefinitions;
  readonly #log: Log;
  readonly #queue = new SerialQueue();
  /** Saved servers by agent and key. */
  readonly #ids = new Map<string, string>();
  /** What is stored of each server, so that the same is not written again at every start of it. */
  readonly #known = new Map<string, Digest>();

  constructor(stored: CachedDefinitions, log: Log) {
    this.#stored = stored;
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
        mount.mount(discovered, reason);
        const { agentId, serverKey, epoch } = discovered;
        const serverId = this.#ids.get(`${agentId} ${serverKey}`);
        if (serverId === undefined || epoch === null) return;
        const entries = registry.list(agentId, { ownerKey: serverKey }).map(entryOf);
        // Never rejects: a failure is logged, and the next start of the server writes again.
        void this.#keepLogged(serverId, entries, serverKey);
      },
    };
  }

  /** Writes what a server offers now; resolves when it is on disk. Rejects with `unknown-server` or `cannot-record`. */
  keep(serverId: string, entries: readonly Omit<CachedDefinition, 'discoveredAt'>[]): Promise<void> {
    const digest = digestOf(entries);
    return this.#queue.run(async () => {
      if (this.#known.get(serverId) === digest) return;
      await this.#stored.replace(serverId, entries);
      this.#known.set(serverId, digest);
    });
  }

  /** What is kept of a server; undefined if it was never seen, or nothing of it can be read. */
  async last(serverId: string): Promise<LastSeen | undefined> {
    const rows = await this.#stored.of(serverId);
    const [first] = rows;
    if (first === undefined) return undefined;
    this.#known.set(serverId, digestOf(rows));
    const of = (kind: Handle['kind']): readonly Definition[] =>
      rows.filter(row => row.kind === kind).map(row => row.definition);
    const discovery = { tools: of('tool'), resources: of('resource'), prompts: of('prompt'), diagnostics: [] };
    return { discovery, protocolVersion: first.protocolVersion };
  }

  /** Settles when everything is written. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async #keepLogged(serverId: string, entries: Parameters<DefinitionCache['keep']>[1], server: string): Promise<void> {
    try {
      await this.keep(serverId, entries);
    } catch (error) {
      this.#log.warn({ server, error: String(error) }, 'What a server offers could not be kept for its next start.');
    }
  }
}

/** A handle as it is kept. */
export function entryOf(
  handle: Pick<Handle, 'kind' | 'wireName' | 'definition' | 'definitionDigest' | 'protocolVersion'>,
) {
  const { kind, wireName, definition, definitionDigest, protocolVersion } = handle;
  return { kind, wireName, definition, definitionDigest, protocolVersion };
}

function digestOf(entries: readonly Omit<CachedDefinition, 'discoveredAt'>[]): Digest {
  return sha256(
    JSON.stringify(entries.map(entry => [entry.kind, entry.wireName, entry.definitionDigest, entry.protocolVersion])),
  );
}
