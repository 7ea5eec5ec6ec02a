import { homedir, tmpdir } from 'node:os';
import { readSettings } from '../config/settings.ts';
import { createAuthority } from '../core/authorisation.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import type { Deadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import {
  type AgentId,
  agentId as asAgentId,
  type InstanceId,
  type RandomId,
  randomId,
  type ServerKey,
} from '../core/ids.ts';
import { type CallClient, relayedCapabilities } from '../core/ports/call-client.ts';
import { type Log, silentLog } from '../core/ports/log.ts';
import type { Level } from '../core/words.ts';
import type { OperatorProof } from '../governance/approvals/operator-proof.ts';
import { openGovernance } from '../governance/governance.ts';
import { createRegistry, type Registry } from '../governance/registry/registry.ts';
import { registryMount } from '../governance/registry/registry-mount.ts';
import { createContainerContext } from '../runners/container-context.ts';
import { reclaim, sweep } from '../runners/index.ts';
import { legacyContainers } from '../runners/legacy-containers.ts';
import type { Surroundings } from '../runners/runner.ts';
import { withoutNpmPath } from '../runners/user-path.ts';
import { startWatchdog } from '../runners/watchdog/watchdog.ts';
import type { KnownSecret } from '../secrets/known-secrets.ts';
import { maskedLog } from '../secrets/masked-log.ts';
import { createRedactor, type Redactor } from '../secrets/redact.ts';
import { DefinitionCache } from '../servers/definition-cache.ts';
import { Fleet } from '../servers/fleet.ts';
import type { Connect } from '../servers/fleet-deps.ts';
import { restoreGateways } from '../servers/gateway.ts';
import { startIdleSleep } from '../servers/idle-sleep.ts';
import { SavedBook } from '../servers/saved-book.ts';
import { serverHealthOf } from '../servers/server-health-of.ts';
import { toldServers } from '../servers/told-servers.ts';
import { openStore } from '../store/store.ts';
import type { Agent } from './agent.ts';
import { ApprovalWatch, type WrittenRule } from './agent-governance.ts';
import { managingServer } from './builtin/managing-server.ts';
import { watchClockJumps } from './clock-jumps.ts';
import { connectServer } from './connect-server.ts';
import { createAgent } from './create-agent.ts';
import { disposer } from './dispose-host.ts';
import { engineReporter } from './engine-report.ts';
import { explainPlanned } from './explain-planned.ts';
import { ephemeralStorage, homeStorage } from './home-storage.ts';
import { hostCatalogs } from './host-catalogs.ts';
import { createHostEvents } from './host-events.ts';
import { type HostSecrets, hostSecrets, openVault } from './host-secrets.ts';
import { type HostService, hostService } from './host-service.ts';
import { createServerNotices } from './server-notices.ts';
import { cleanUpOnSignals } from './signal-cleanup.ts';

/** How a host is opened; everything has a default. */
export interface HostOptions {
  /** The folder of database, identity and lock; default: LONGSHORE_HOME or the platform's data folder. */
  readonly home?: string;
  /**
   * True where nobody chose the folder that this program runs in (a service): then servers without a `cwd` are started in
   * empty folders of their own beside the home, never in it. Default false: where the program runs.
   */
  readonly ownFolders?: boolean;
  /** Nothing on disk and nothing recorded; the identity is made for this host alone. */
  readonly ephemeral?: boolean;
  /** The default agent's DID, from an embedding agent host (R66); default: the home's own. */
  readonly agentId?: string;
  /** Rules for every agent as long as the host is open, for programs that nobody watches (docs/governance.md). */
  readonly rules?: readonly WrittenRule[];
  /** The level where no rule speaks; default `ask`, and `allow` for an ephemeral host, whose operator is there. */
  readonly otherwise?: Level;
  /** Overrides of the deadlines, in milliseconds. */
  readonly deadlines?: Partial<Deadlines>;
  /** Who answers what a server asks in calls that name no client of their own, and outside of calls; default: nobody. */
  readonly clientFor?: (agentId: AgentId, server: ServerKey) => CallClient;
  /**
   * True for a program that hands every call the client behind it (`CallClient`): then 2025 servers are told that they
   * can ask for everything, whoever will call. Default false: they are told what `clientFor` declares.
   */
  readonly relaysInput?: boolean;
  /** Hears what happens; values that must be masked are masked before it does (S15). */
  readonly log?: Log;
  /** Learns the values that must be masked (S15); a program that hands in its own can mask what else it writes. */
  readonly redactor?: Redactor;
  /** Cleans up when SIGINT, SIGTERM or SIGHUP arrives and then raises it again (R5); default true. */
  readonly handleSignals?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  readonly homeDir?: string;
  readonly clock?: Clock;
  readonly randomId?: RandomId;
}

/** Everything of one home: its agents, their servers and what is recorded about them. */
export interface Host extends AsyncDisposable {
  /** Shows that the program that opened the host decides: for `agent.rules` and `agent.approvals`. An agent alone cannot. */
  readonly operator: OperatorProof;
  /** The secrets that servers refer to as `${secret:NAME}`; their values never come out again. */
  readonly secrets: HostSecrets;
  /** The default agent, or the one with that DID. */
  agent(id?: string): Agent;
  /** For a program that serves this home to others. Throws `usage` for an ephemeral host. */
  service(): HostService;
  /** Containers that an older version left without an owner: told, never touched (R27). Rejects without an engine. */
  legacyContainers(): Promise<readonly { readonly id: string; readonly name: string; readonly image: string }[]>;
  /** Stops every server of every agent; rejects naming those that are left, and may be called again (R54). */
  dispose(): Promise<void>;
}

/** The hosts that are open in this process; `cleanupMcpTransport` is a function of the module by contract. */
const openHosts = new Set<OpenHost>();

interface OpenHost {
  readonly agents: ReadonlyMap<AgentId, Agent>;
  readonly saved: SavedBook;
}

/**
 * Opens a home, or with `ephemeral` a host without one. Rejects with `home-in-use`, `bad-setting`, `invalid-identity`
 * or `store-corrupt`.
 */
export async function openHost(options: HostOptions = {}): Promise<Host> {
  const { env = process.env, platform = process.platform, homeDir = homedir() } = options;
  const { clock = systemClock, randomId: random = randomId, redactor = createRedactor() } = options;
  const log = maskedLog(options.log ?? silentLog, redactor);
  const { settings, warnings } = readSettings({ env, platform, homeDir });
  for (const { code, message } of warnings) log.warn({ code }, message);
  const instance = random() as InstanceId;

  await using opening = new AsyncDisposableStack();
  const folder = options.home ?? settings.home;
  const ground = opening.use(
    options.ephemeral
      ? ephemeralStorage(random, options)
      : homeStorage({ folder, platform, randomId: random }, process.pid, options),
  );
  const store = opening.use(await openStore({ path: ground.database, clock, randomId: random }));
  await ground.settle(store.ledger);
  const watchdog = opening.use(startWatchdog({ instance, log, env, platform }));
  const { pid } = process;
  const { ledger, verdicts } = store;
  const around: Surroundings = {
    env: withoutNpmPath(env, platform),
    ...(options.ownFolders && { serversFolder: `${folder}-servers` }),
    platform,
    homeDir,
    pid,
    instance,
    clock,
    randomId: random,
    log,
    ledger,
    watchdog,
    containers: createContainerContext({
      homeId: ground.homeId,
      homeFolder: options.ephemeral ? undefined : folder,
      temporaryFolder: tmpdir(),
      transports: store.imageTransports,
    }),
  };
  // In the background: what is left of a dead run must not delay this one, but the store outlives the sweep.
  const swept = sweep(around).catch(error => log.warn({ error: String(error) }, 'The ledger could not be swept.'));
  opening.defer(() => swept);
  const { mint, redeem } = createAuthority();
  const { clientFor, relaysInput = false } = options;
  const onSecrets = (secrets: readonly KnownSecret[]) => redactor.learn(secrets);
  const vault = openVault(store.secrets, options.ephemeral ? undefined : folder, env);
  const references = { env, secret: (name: string) => vault.get(name) };
  const connectNeeds = {
    around,
    references,
    verdicts,
    ...(relaysInput && { declares: relayedCapabilities }),
    ...(clientFor && { clientFor }),
    redeem,
    onSecrets,
  };
  /** How servers are opened and what is left of them removed, in the fleet and beside it. */
  const ways = {
    deadlines: { ...settings.deadlines, ...options.deadlines },
    connect: (asked: Connect) => connectServer(asked, connectNeeds),
    reclaim: (agentId: AgentId, serverKey: ServerKey) => reclaimAll(around, { agentId, serverKey }),
  };
  const registry = createRegistry({ now: clock.now });
  const events = createHostEvents();
  const notices = createServerNotices();
  const cache = new DefinitionCache(store.cachedDefinitions, store.descriptions, log);
  const fleet = new Fleet({
    ...ways,
    log,
    mount: cache.following(registryMount(registry), registry),
    clock,
    held: async (agentId, serverKey) =>
      (await ledger.list({ agentId, serverKey })).filter(({ engineId }) => engineId !== null).length,
    owners: async () => (await ledger.list()).filter(holding => holding.instance === instance),
    idleFor: (agentId, serverKey) => idleFor(registry, clock, agentId, serverKey),
    onNotice: ({ agentId, serverKey }, notice) => notices.tell({ agentId, server: serverKey, ...notice }),
    onState: member =>
      events.tell(() => {
        const { agentId, serverKey, state } = member;
        const health = serverHealthOf({ agentId, serverKey, enabled: true, life: state, member }, sources);
        return { type: 'server-state', agentId, server: serverKey, health };
      }),
  });
  const managing = managingServer({
    registry,
    redeem,
    randomId: random,
    callers: store.callers,
    redactor,
    ground: () => ({ fleet, saved, rules }),
  });
  const governance = opening.use(
    await openGovernance({
      registry,
      redactor,
      fleet: {
        ...managing.among(fleet),
        subscribe: (owner, key, wanted) => fleet.subscribe(owner, key, wanted),
      },
      mint,
      store,
      clock,
      randomId: random,
      log,
      ...(ground.checkpoint ? { checkpoint: ground.checkpoint } : {}),
      rules: options.rules ?? [],
      otherwise: options.otherwise ?? (options.ephemeral ? 'allow' : 'ask'),
    }),
  );

  const { audit, rules, approvals } = governance;
  const sources = { registry, rules, redactor, clock };
  registry.onChanged((agentId, server) => events.tell(() => ({ type: 'tools', agentId, server })));
  rules.onChanged(() => events.tell(() => ({ type: 'rules' })));
  approvals.onEvent(event => events.tell(() => ({ type: 'approval', event })));
  const servers = toldServers(store.servers, agentId => events.tell(() => ({ type: 'servers', agentId })));
  const home = options.ephemeral ? undefined : folder;
  const onProgress = (catalog: string, line: string) => events.tell(() => ({ type: 'catalog', catalog, line }));
  const read = { around, settings, cache: store.catalogs, redactor, folder: home, onProgress };
  const catalogs = opening.use(hostCatalogs(read));
  const base = {
    ...ways,
    ...sources,
    fleet,
    servers,
    imports: store.imports,
    cache,
    vault,
    catalogs,
    audit,
    ledger,
    log,
    randomId: random,
    onSecrets,
  };
  const saved = opening.use(new SavedBook(base));
  await saved.restore();
  await restoreGateways(saved);
  await managing.restore();
  opening.use(startIdleSleep(fleet, settings.idleTimeout));
  // It never rejects: what gives no sign of life is opened anew.
  opening.use(watchClockJumps(clock, () => void fleet.checkRemotes()));

  const watch = new ApprovalWatch();
  const agents = new Map<AgentId, Agent>();
  function agent(id?: string): Agent {
    const agentId = id === undefined ? ground.defaultAgent : asAgentId(id);
    const existing = agents.get(agentId);
    if (existing) return existing;
    const made = createAgent(agentId, {
      registry,
      governance,
      watch,
      saved,
      explain: (planned, owner) => explainPlanned(planned, owner, around),
    });
    agents.set(agentId, made);
    return made;
  }

  const held = opening.move();
  const open: OpenHost = { agents, saved };
  openHosts.add(open);
  const dispose = disposer(governance, { fleet, saved }, held, () => {
    openHosts.delete(open);
    stopListening();
  });
  const secrets = hostSecrets({ vault, audit, onSecrets });
  const engine = engineReporter(around);
  const operated = {
    ...sources,
    asked: store.approvals,
    fleet,
    ledger,
    saved,
    governance,
    around,
    agent,
    engine,
    managing,
    catalogs,
  };
  const stopListening = options.handleSignals === false ? () => {} : cleanUpOnSignals(process, dispose);
  return {
    operator: governance.desk.admit('library'),
    secrets,
    agent,
    service: () =>
      hostService({ ...operated, ground, store, instance, secrets, events, notices, open: () => agents.keys() }),
    legacyContainers: () => legacyContainers(around),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function idleFor(registry: Registry, clock: Clock, agentId: AgentId, serverKey: ServerKey): number | undefined {
  const { holds } = registry;
  if (holds.busy(agentId, serverKey)) return undefined;
  return clock.now() - (holds.idleSince(agentId, serverKey) ?? 0);
}

/** Removes everything that the ledger still has of a server, and returns how much of it was really there (R60). */
async function reclaimAll(around: Surroundings, owner: { agentId: AgentId; serverKey: ServerKey }): Promise<number> {
  let removed = 0;
  for (const holding of await around.ledger.list(owner)) if (await reclaim(holding, around)) removed += 1;
  return removed;
}

/**
 * D1's cleanup of one server by its name, over all hosts open in this process: container first, then the transport,
 * awaited (R3). An unknown name is fine; one that two agents use throws `ambiguous-ref` unless `agentId` says whose.
 */
export async function cleanupMcpTransport(serverName: string, options: { agentId?: string } = {}): Promise<void> {
  const asked = [...openHosts].flatMap(({ agents, saved }) =>
    [...agents].map(async ([id, agent]) => {
      if ((options.agentId ?? id) !== id) return [];
      return (await saved.resolve(id, serverName)).running ? [agent] : [];
    }),
  );
  const owners = (await Promise.all(asked)).flat();
  if (owners.length > 1) {
    const ids = owners.map(owner => owner.agentId).join(', ');
    throw new LongshoreError(
      'ambiguous-ref',
      `Several agents have a server ${serverName}: ${ids}. Say which with agentId.`,
    );
  }
  await owners[0]?.cleanupMcpTransport(serverName);
}
