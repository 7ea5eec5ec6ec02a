import type { CatalogEntry } from '../catalog/catalog-entry.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { SavedServer, ServerEntry } from '../store/servers.ts';
import { entryOf as definitionOf } from './definition-cache.ts';
import type { StartOptions } from './fleet.ts';
import { gatewayKey, gatewayPlan, refuseCollisions } from './gateway-plan.ts';
import type { ManagedServer } from './managed-server.ts';
import type { Actor, SavedBook } from './saved-book.ts';

/** What this process asked of the gateway, and what it saw; that a tool is there proves nothing about any one server (R76). */
export interface GatewayReport {
  /** In the order in which they were asked for. */
  readonly requested: readonly string[];
  /** Names of the gateway's tools that are mounted. */
  readonly observedTools: readonly string[];
  /** Those that are not in effect, each with the gateway's own reason. */
  readonly missing: readonly { readonly name: string; readonly why: string }[];
}

/** The name of the gateway's turn, and what the names of its rows begin with. */
const rowPrefix = 'gateway:';

/**
 * Replaces the gateway's servers by these (R29). Everything is checked before the running gateway is touched: names, what
 * they need, tools that two of them have. What is then in effect is saved, exactly. Rejects with `unknown-server`,
 * `catalog-unreadable`, `unresolved-reference`, `name-in-use`, or as the runner does; the running one then goes on where
 * nothing was started, and is started again by its own plan with its next call where the new one failed.
 */
export async function startGateway(
  book: SavedBook,
  who: Actor,
  names: readonly string[],
  options: StartOptions,
): Promise<GatewayReport> {
  const wanted = [...new Set(names)];
  const entries = await Promise.all(wanted.map(name => entryNamed(book, name, options.signal)));
  refuseCollisions(entries);
  const kept = new Set((await book.needs.vault.list()).map(({ name }) => name));
  const planned = gatewayPlan(entries, name => kept.has(name));
  return await inTurn(book, who.agentId, async () => {
    const { fleet } = book.needs;
    const isOther = (running: { readonly gateway?: unknown }): boolean =>
      JSON.stringify(running.gateway) !== JSON.stringify(planned.gateway);
    await book.record('gateway_started', who, wanted.join(','));
    const isNew = fleet.server(who.agentId, gatewayKey) === undefined;
    if (isNew) fleet.release(who.agentId, gatewayKey);
    const server = await fleet.load(who.agentId, planned, options, isOther);
    const report = reportOf(book, who.agentId, server, wanted);
    const inEffect = entries.filter(({ name }) => !report.missing.some(one => one.name === name));
    await saveExactly(book, who, inEffect, server);
    fleet.keep(server, inEffect.length === entries.length ? planned : gatewayPlan(inEffect, () => true));
    return report;
  });
}

/** Stops the gateway and forgets its saved servers, whether it runs or not (R30). False if there was nothing of either. */
export async function stopGateway(book: SavedBook, who: Actor): Promise<boolean> {
  return await inTurn(book, who.agentId, async () => {
    const { fleet, servers } = book.needs;
    const rows = await gatewayRows(book, who.agentId);
    const server = fleet.server(who.agentId, gatewayKey);
    await book.record('gateway_stopped', who, rows.map(nameOf).join(','));
    for (const row of rows) await servers.remove(row.serverId);
    fleet.release(who.agentId, gatewayKey);
    if (server === undefined) return rows.length > 0;
    await fleet.unload(who.agentId, gatewayKey, 'gateway-replaced');
    return true;
  });
}

/** What was requested in this process and observed; undefined where the gateway was neither started nor saved (R77). */
export async function gatewayReport(book: SavedBook, agentId: AgentId): Promise<GatewayReport | undefined> {
  const server = book.needs.fleet.server(agentId, gatewayKey);
  if (server === undefined) return undefined;
  const names = Object.keys(server.planned.gateway ?? {});
  return reportOf(book, agentId, server, names);
}

/** Gives the saved gateway its place, not started, at the opening of a host. */
export async function restoreGateways(book: SavedBook): Promise<void> {
  const rows = (await book.needs.servers.list()).filter(row => row.mode === 'gateway');
  if (rows.length === 0) return;
  const { cache, fleet } = book.needs;
  const seen = await cache.lastOfAll();
  for (const agentId of new Set(rows.map(row => row.agentId))) {
    const own = rows.filter(row => row.agentId === agentId);
    const entries = own.flatMap(row => entryOf(row) ?? []);
    const [first] = own;
    if (entries.length === 0 || first === undefined) continue;
    // What is missing by now is told when it is started.
    const planned = gatewayPlan(entries, () => true);
    cache.follow(agentId, gatewayKey, first.serverId);
    fleet.restore(agentId, { planned, serverKey: gatewayKey, last: seen.get(first.serverId) });
  }
}

async function entryNamed(book: SavedBook, name: string, signal: AbortSignal): Promise<CatalogEntry> {
  const entry = await book.needs.catalogs.entry(name, { signal });
  if (entry !== undefined) return entry;
  throw new LongshoreError(
    'unknown-server',
    `No catalog has a server ${JSON.stringify(name)}, so nothing was started. Search for it: longshore search ${name}`,
  );
}

function inTurn<Result>(book: SavedBook, agentId: AgentId, task: () => Promise<Result>): Promise<Result> {
  book.mustBeOpen();
  return book.inOrder(agentId, () => Promise.resolve({ meant: undefined, names: [rowPrefix], brings: true }), task);
}

function reportOf(
  book: SavedBook,
  agentId: AgentId,
  server: ManagedServer,
  requested: readonly string[],
): GatewayReport {
  const lines = server.stderrTail();
  const observed = book.needs.registry.list(agentId, { ownerKey: gatewayKey, kind: 'tool' });
  const missing = requested.flatMap(name => {
    const why = reasonFor(name, lines);
    return why === undefined ? [] : [{ name, why }];
  });
  return { requested, observedTools: observed.map(handle => handle.wireName), missing };
}

/** Why the gateway serves one of its servers not, by its own log. */
function reasonFor(name: string, lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const text = line.trim();
    for (const start of [`> Can't start ${name}: `, `> Can't list tools ${name}: `]) {
      if (text.startsWith(start)) return text.slice(start.length, start.length + 300);
    }
    if (text === `MCP server not found: ${name}`) return 'the gateway does not know it';
  }
  return undefined;
}

async function gatewayRows(book: SavedBook, agentId: AgentId): Promise<readonly SavedServer[]> {
  return (await book.needs.servers.list(agentId)).filter(row => row.mode === 'gateway');
}

const nameOf = ({ name }: SavedServer): string => name.slice(rowPrefix.length);

/** Rows for these and no others. The entry is saved with it, so that a restart depends on no catalog (R69). */
async function saveExactly(
  book: SavedBook,
  { agentId, actor }: Actor,
  entries: readonly CatalogEntry[],
  server: ManagedServer,
): Promise<void> {
  const { servers, cache, registry } = book.needs;
  const names = new Set(entries.map(({ name }) => `${rowPrefix}${name}`));
  for (const row of await gatewayRows(book, agentId)) if (!names.has(row.name)) await servers.remove(row.serverId);
  const rows = entries.map<ServerEntry>(entry => ({
    agentId,
    name: `${rowPrefix}${entry.name}`,
    serverKey: `${gatewayKey}--${entry.name.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`.slice(0, 64) as ServerKey,
    mode: 'gateway',
    config: { entry } as unknown as JsonObject,
    image: null,
    args: null,
    enabled: true,
    loaded: true,
    actor,
  }));
  if (rows.length === 0) return;
  await servers.save(rows);
  // One of the rows keeps what the gateway as a whole offers, for lists after a restart.
  const first = (await gatewayRows(book, agentId))[0];
  if (first === undefined) return;
  cache.follow(agentId, gatewayKey, first.serverId);
  const offered = registry.list(agentId, { ownerKey: gatewayKey }).map(definitionOf);
  await cache.keepLogged(first.serverId, offered, server.lastSaid, gatewayKey);
}

function entryOf({ config }: SavedServer): CatalogEntry | undefined {
  const entry = config?.['entry'];
  return isJsonObject(entry) ? (entry as unknown as CatalogEntry) : undefined;
}
