import type { Catalogs } from '../catalog/catalogs.ts';
import type { PlannedServer } from '../config/planned-server.ts';
import type { Connection } from '../connections/connection.ts';
import type { Deadlines } from '../core/deadlines.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { AgentId, RandomId, ServerKey } from '../core/ids.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { Caller } from '../core/words.ts';
import type { Audit } from '../governance/audit/audit.ts';
import type { Registry } from '../governance/registry/registry.ts';
import { KeyedMutex } from '../lib/keyed-mutex.ts';
import type { KnownSecret } from '../secrets/known-secrets.ts';
import type { SecretVault } from '../secrets/secret-vault.ts';
import type { Imports } from '../store/imports.ts';
import type { SavedServer, ServerEntry, Servers } from '../store/servers.ts';
import type { DefinitionCache, LastSeen } from './definition-cache.ts';
import type { Fleet } from './fleet.ts';
import type { Connect } from './fleet-deps.ts';
import { holdingIds } from './holding-ids.ts';
import type { ManagedServer, StopOutcome } from './managed-server.ts';
import { Refreshes } from './refreshes.ts';
import { isExplicitImage, type ResolvedServer, resolveServer, unknownServer } from './resolve-server.ts';
import { isLegacy, plannedOf, savedName, settingsOf, startOf } from './saved-plan.ts';
import type { HealthDeps } from './server-health-of.ts';
import { type Secured, ServerSecrets } from './server-secrets.ts';

/** Dependencies of saved servers. */
export interface SavedDeps extends HealthDeps {
  readonly fleet: Fleet;
  readonly registry: Pick<Registry, 'list'>;
  readonly servers: Servers;
  readonly imports: Imports;
  readonly cache: DefinitionCache;
  readonly vault: SecretVault;
  /** Asked about names that are not here. */
  readonly catalogs: Pick<Catalogs, 'entry' | 'known'>;
  readonly audit: Pick<Audit, 'change'>;
  readonly ledger: Pick<Ledger, 'list'>;
  readonly deadlines: Deadlines;
  readonly log: Log;
  readonly randomId: RandomId;
  /** Told which values must be masked from now on. */
  onSecrets(secrets: readonly KnownSecret[]): void;
  /** As the fleet's own: opens a server and negotiates with it. */
  connect(request: Connect): Promise<Connection>;
  /** As the fleet's own: removes what the ledger still holds of that server, and says how many there were. */
  reclaim(agentId: AgentId, serverKey: ServerKey): Promise<number>;
}

/** On whose behalf something is done, and who does it. */
export interface Actor {
  readonly agentId: AgentId;
  readonly actor: Caller;
}

/** What a verb was found to be about. */
export interface About<Meant> {
  readonly meant: Meant;
  /** The ids and names by which it is known. */
  readonly names: readonly string[];
  /** True if the verb brings a server into the fleet. */
  readonly brings?: boolean;
}

/** The saved servers of all agents of one host, and their places in the fleet; each verb has a file of its own. */
export class SavedBook implements AsyncDisposable {
  readonly needs: SavedDeps;
  readonly secrets: ServerSecrets;
  readonly refreshes = new Refreshes();
  /** Transitions of one server, one at a time (R63); by its id and its name. */
  readonly #turns = new KeyedMutex();
  /** What the verbs of an agent mean, found out one after another, so that they have their turns in the order in which they came. */
  readonly #arrivals = new KeyedMutex();
  /** Turns in which a server comes into the fleet. */
  readonly #bringing = new Map<Promise<unknown>, AgentId>();
  /** Rows that could not be restored, by id. */
  readonly #faults = new Map<string, LongshoreError>();
  readonly #closing = new AbortController();

  constructor(needs: SavedDeps) {
    this.needs = needs;
    this.secrets = new ServerSecrets(needs);
  }

  /** By name. The gateway's entries are the gateway's own. */
  async rows(agentId?: AgentId): Promise<readonly SavedServer[]> {
    return (await this.needs.servers.list(agentId)).filter(row => row.mode !== 'gateway');
  }

  async keyed(agentId: AgentId, key: ServerKey): Promise<SavedServer | undefined> {
    return (await this.rows(agentId)).find(row => row.serverKey === key);
  }

  async named(agentId: AgentId, name: string): Promise<SavedServer | undefined> {
    return (await this.rows(agentId)).find(row => row.name === name);
  }

  /** What a person means (see `resolveServer`), among what is saved and what is in the fleet. */
  async resolve(agentId: AgentId, ref: string): Promise<ResolvedServer<SavedServer, ManagedServer>> {
    const rows = await this.rows(agentId);
    const holdings = holdingIds(await this.needs.ledger.list({ agentId }));
    const running = this.needs.fleet.list(agentId);
    const meant = resolveServer(ref, rows, running, { holdings });
    if (meant.saved || meant.running || isExplicitImage(ref)) return meant;
    // A name of a catalog stands for its image, which may be here (R56).
    const entry = await this.needs.catalogs.known(ref);
    if (entry?.start.kind !== 'image') return meant;
    return resolveServer(ref, rows, running, { catalog: new Map([[ref, entry.start.image]]) });
  }

  /** The error for a ref that means nothing that is there. */
  async unknown(agentId: AgentId, ref: string): Promise<LongshoreError> {
    return unknownServer(ref, await this.rows(agentId), this.needs.fleet.list(agentId));
  }

  /** The saved server that a person means. Throws `unknown-server`. */
  async find(agentId: AgentId, ref: string): Promise<SavedServer> {
    const { saved, running } = await this.resolve(agentId, ref);
    if (saved) return saved;
    if (!running) throw await this.unknown(agentId, ref);
    throw new LongshoreError('unknown-server', `${running.serverKey} is loaded, but it is not saved.`);
  }

  /**
   * Runs a verb in its turn. `find` tells what it is about; verbs that are about the same have their turns in the order in
   * which they were asked for.
   */
  async inOrder<Meant, Result>(
    agentId: AgentId,
    find: () => Promise<About<Meant>>,
    task: (meant: Meant) => Promise<Result>,
  ): Promise<Result> {
    const { done } = await this.#arrivals.run([agentId], async () => {
      const { meant, names, brings = false } = await find();
      const turn = this.#turns.run(
        names.map(name => turnOf(agentId, name)),
        () => task(meant),
      );
      if (brings) this.#bringing.set(turn, agentId);
      const over = () => void this.#bringing.delete(turn);
      turn.then(over, over);
      return { done: turn };
    });
    return await done;
  }

  /** Settles when every server that earlier verbs of an agent bring into the fleet is there, or will never be. */
  async brought(agentId: AgentId): Promise<void> {
    await Promise.allSettled([...this.#bringing].flatMap(([turn, owner]) => (owner === agentId ? [turn] : [])));
  }

  /** Runs a transition of one saved server in its turn, on the row as it is then; `names` are further names it needs. */
  inTurn<Result>(
    agentId: AgentId,
    ref: string,
    task: (row: SavedServer) => Promise<Result>,
    names: readonly string[] = [],
  ): Promise<Result> {
    return this.inOrder(
      agentId,
      async () => {
        const { serverId, name } = await this.find(agentId, ref);
        return { meant: serverId, names: [serverId, name, ...names] };
      },
      async serverId => {
        this.mustBeOpen();
        return await task(await this.find(agentId, serverId));
      },
    );
  }

  /** Ends everything of an agent, saved or not, that was asked for before this (R4). Rejects as `Fleet.unloadAll`. */
  async endAll(agentId: AgentId): Promise<void> {
    const prefix = turnOf(agentId, '');
    const find = () => {
      const names = this.#turns.names().flatMap(name => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
      return Promise.resolve({ meant: undefined, names });
    };
    await this.inOrder(agentId, find, async () => {
      await Promise.all([this.refreshes.stopAll(agentId), this.needs.fleet.unloadAll(agentId)]);
    });
  }

  /** An entry for the store: who saved what, with which settings. */
  entry(
    { agentId, actor }: Actor,
    { planned, secrets }: Secured,
    set: Pick<SavedServer, 'serverKey' | 'enabled' | 'loaded'> & { readonly allowSecretArguments: boolean },
  ): ServerEntry {
    const { serverKey, enabled, loaded, allowSecretArguments } = set;
    const start = startOf(planned, { allowSecretArguments, secrets });
    return { agentId, actor, name: savedName(agentId, planned), serverKey, enabled, loaded, ...start };
  }

  /** Records a change before it is made; rejects with `cannot-record`, and then it must not be made. */
  async record(action: string, { agentId, actor }: Actor, subject: string): Promise<void> {
    await this.needs.audit.change({ action, subject, agentId, caller: actor });
  }

  /** Gives every saved server of every agent its place, at the opening of a host; none is started (R68). */
  async restore(): Promise<void> {
    const seen = await this.needs.cache.lastOfAll();
    for (const row of await this.rows()) this.#take(row, seen.get(row.serverId));
  }

  /**
   * Gives a saved server its place in the fleet, not started: listed by what it last offered, waiting for its first call.
   * One that is disabled, unloaded, legacy or damaged only keeps its key. Never rejects for the row's own faults.
   */
  async place(row: SavedServer): Promise<void> {
    const last = await this.needs.cache.last(row.serverId).catch((error: unknown) => {
      this.needs.log.warn(
        { server: row.name, error: String(error) },
        'What a saved server last offered cannot be read.',
      );
      return undefined;
    });
    this.#take(row, last);
  }

  #take(row: SavedServer, last: LastSeen | undefined): void {
    const { agentId, serverKey, serverId } = row;
    const { fleet, cache, log } = this.needs;
    fleet.reserve(agentId, serverKey);
    cache.follow(agentId, serverKey, serverId);
    this.#faults.delete(serverId);
    if (!row.enabled || !row.loaded || isLegacy(row)) return;
    try {
      fleet.restore(agentId, { planned: plannedOf(row), serverKey, last });
    } catch (error) {
      const { code, message } = asLongshoreError(error);
      const fault = new LongshoreError(code, `${row.name} could not be restored: ${message}`, { cause: error });
      this.#faults.set(serverId, fault);
      log.warn({ server: row.name, code }, fault.message);
    }
  }

  /** Why a row could not be restored. */
  fault(serverId: string): LongshoreError | undefined {
    return this.#faults.get(serverId);
  }

  /** Ends all that runs of a saved server and takes it out of the fleet (R4). Rejects with `close-failed` while anything is left. */
  async end({ agentId, serverKey, serverId }: SavedServer): Promise<StopOutcome> {
    const { fleet, reclaim } = this.needs;
    await this.refreshes.stop(serverId);
    if (!fleet.server(agentId, serverKey)) {
      const reclaimed = await reclaim(agentId, serverKey);
      return { process: reclaimed > 0 ? 'removed' : 'not-running', handlesWithdrawn: 0 };
    }
    return await fleet.unload(agentId, serverKey);
  }

  /** A server that runs without being saved, under the name that a saved one is to have, is ended first (R4). */
  async endUnsaved(agentId: AgentId, { identity }: PlannedServer): Promise<void> {
    const { fleet } = this.needs;
    const member = fleet.list(agentId).find(one => one.planned.identity === identity);
    if (member) await fleet.unload(agentId, member.serverKey);
  }

  /** Does what follows the storing of a plan's secrets; if that fails, the new ones are removed again. */
  async keeping<Result>({ made }: Pick<Secured, 'made'>, act: () => Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      await this.secrets.discard(made);
      throw error;
    }
  }

  /**
   * Removes the secrets that were made for a server and that nothing saved refers to any more; returns those left. Never
   * rejects: it comes after what it belongs to was done.
   */
  async discardUnused(row: SavedServer): Promise<readonly string[]> {
    const { secrets = [] } = settingsOf(row);
    if (secrets.length === 0) return [];
    try {
      const texts = (await this.needs.servers.list()).map(({ config, args }) => JSON.stringify([config, args]));
      return await this.secrets.discard(
        secrets.filter(name => !texts.some(text => text.includes(`\${secret:${name}}`))),
      );
    } catch (error) {
      this.needs.log.warn({ server: row.name, error: String(error) }, 'Secrets that may be unused were not removed.');
      return secrets;
    }
  }

  /** Aborts when the host closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  mustBeOpen(): void {
    if (this.#closing.signal.aborted)
      throw new LongshoreError('server-closing', 'This host is closing; nothing more is saved.');
  }

  /** Ends what runs beside the fleet and writes what waits; before the store is closed. */
  async close(): Promise<void> {
    this.#closing.abort(new LongshoreError('server-closing', 'This host is closing.'));
    await this.refreshes.close();
    await this.needs.cache.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** The plan of a row, or undefined for a damaged one. */
export function planIfSound(row: SavedServer): PlannedServer | undefined {
  try {
    return plannedOf(row);
  } catch {
    // Whoever wants to start it learns why; a list of names does not depend on it.
    return undefined;
  }
}

/** The name of a turn: names are an agent's own. */
function turnOf(agentId: AgentId, name: string): string {
  return `${agentId} ${name}`;
}

/** What a person calls a saved server: its name, or the key of an image. */
export function displayName({ mode, name, serverKey }: Pick<SavedServer, 'mode' | 'name' | 'serverKey'>): string {
  return mode === 'container' ? serverKey : name;
}
