import {
  type EntryPlace,
  type ExpandedConfigs,
  expandMcpConfigsFromJson,
  noValidServer,
} from '../config/expand-mcp-configs.ts';
import type { PlannedServer } from '../config/planned-server.ts';
import { LongshoreError } from '../core/errors.ts';
import type { ServerKey } from '../core/ids.ts';
import type { Diagnostic } from '../core/words.ts';
import type { SavedServer, ServerEntry } from '../store/servers.ts';
import { startsAlike } from './change-server.ts';
import { plan } from './plan.ts';
import { type Actor, type SavedBook } from './saved-book.ts';
import { settingsOf, startOf } from './saved-plan.ts';
import type { Secured } from './server-secrets.ts';

/** How a text is imported. */
export interface ImportOptions {
  /** Says what would be done and does none of it. */
  readonly dryRun?: boolean;
  readonly allowSecretArguments?: boolean;
}

/** A server of an import; without an id in a dry run of one that is not saved yet. */
export interface ImportedServer {
  readonly serverId: string | undefined;
  readonly name: string;
  /** What is odd about it, and where its secrets were put. */
  readonly notes: readonly Diagnostic[];
}

/** What an import did, or would do (R22). */
export interface ImportResult {
  readonly created: readonly ImportedServer[];
  /** Saved before under the same name, with id and key kept. */
  readonly updated: readonly ImportedServer[];
  readonly skipped: ExpandedConfigs['skipped'];
}

/** What was done with one server, or would be; `same`: it is saved just so already, and nothing is changed. */
export interface ImportOutcome extends ImportedServer {
  readonly read: ReadServer;
  readonly key: ServerKey;
  readonly action: 'add' | 'update' | 'same';
  /** As it was saved before; undefined for one that is new. */
  readonly before: SavedServer | undefined;
  /** As it is saved now; undefined in a dry run, and for one that stayed as it was. */
  readonly after: SavedServer | undefined;
}

/** What became of all that was read: every server is among the outcomes or was skipped. */
export interface SavedServersOutcome {
  readonly outcomes: readonly ImportOutcome[];
  readonly skipped: ExpandedConfigs['skipped'];
}

/** A server that was read, before anything is saved. */
export interface ReadServer {
  readonly place: EntryPlace;
  readonly planned: PlannedServer;
  /** Whether the text turns it on; one that is saved already stays as its owner has it. */
  readonly enabled: boolean;
  /** Its secrets may stand in the command line. */
  readonly allowSecretArguments: boolean;
  readonly notes: readonly Diagnostic[];
}

/** One entry on its way to being saved. */
interface Candidate extends ReadServer {
  readonly read: ReadServer;
  /** The saved server that it updates. */
  readonly row: SavedServer | undefined;
  readonly action: ImportOutcome['action'];
}

/**
 * Saves every server of a pasted text in one transaction (R20-R22); a name that is saved is updated, and what runs of a
 * server that would start otherwise now is ended first (R4). One bad entry is skipped and keeps no other from being saved.
 * One that the text disables is saved disabled. Rejects with `bad-config` where nothing in it is a server or the text is no
 * JSON; nothing is done then.
 */
export async function importServers(
  book: SavedBook,
  who: Actor,
  text: string,
  { dryRun = false, allowSecretArguments = false }: ImportOptions = {},
): Promise<ImportResult> {
  const read = readServers(book, text, allowSecretArguments);
  const { outcomes, skipped } = await saveServers(book, who, read, dryRun);
  const shown = ({ serverId, name, notes }: ImportOutcome): ImportedServer => ({ serverId, name, notes });
  return {
    created: outcomes.filter(({ action }) => action === 'add').map(shown),
    updated: outcomes.filter(({ action }) => action !== 'add').map(shown),
    skipped,
  };
}

/** Saves what was read, in one transaction; `skipped` is what was skipped before, and comes first in the result. */
export async function saveServers(
  book: SavedBook,
  who: Actor,
  read: { readonly servers: readonly ReadServer[]; readonly skipped: ExpandedConfigs['skipped'] },
  dryRun: boolean,
): Promise<SavedServersOutcome> {
  const names = read.servers.map(({ planned }) => planned.name);
  const find = async () => {
    const ids = (await book.rows(who.agentId)).filter(row => names.includes(row.name)).map(row => row.serverId);
    return { meant: undefined, names: [...ids, ...names] };
  };
  return await book.inOrder(who.agentId, find, async () => {
    book.mustBeOpen();
    const rows = new Map((await book.rows(who.agentId)).map(row => [row.name, row]));
    const candidates = await Promise.all(
      read.servers.map(async server => {
        const row = rows.get(server.planned.name);
        return { ...server, read: server, row, action: await actionFor(book, server, row) };
      }),
    );
    if (dryRun) return outcome(candidates, read.skipped, new Map());
    return await save(book, who, candidates, read.skipped);
  });
}

/** Whether a server that is saved under that name already would change at all. */
async function actionFor(
  book: SavedBook,
  { planned }: ReadServer,
  row: SavedServer | undefined,
): Promise<ImportOutcome['action']> {
  if (row === undefined) return 'add';
  const settings = settingsOf(row);
  const secured = await book.secrets.secured(planned, settings.secrets ?? []);
  return startsAlike(row, { ...row, ...startOf({ ...secured, ...allowed(row) }, settings) }) ? 'same' : 'update';
}

function readServers(book: SavedBook, text: string, allowSecretArguments: boolean) {
  const { configs, skipped } = expandMcpConfigsFromJson(text);
  const servers: ReadServer[] = [];
  const refused: ExpandedConfigs['skipped'][number][] = [];
  for (const { place, config, enabled, diagnostics: notes } of configs) {
    try {
      const planned = plan(config);
      book.secrets.check(planned, allowSecretArguments);
      servers.push({ place, planned, enabled, allowSecretArguments, notes });
    } catch (error) {
      refused.push(skippedFor(place, error));
    }
  }
  if (servers.length === 0) throw noValidServer([...skipped, ...refused]);
  return { servers, skipped: [...skipped, ...refused] };
}

async function save(
  book: SavedBook,
  who: Actor,
  candidates: readonly Candidate[],
  skipped: ExpandedConfigs['skipped'],
): Promise<SavedServersOutcome> {
  const made: string[] = [];
  return await book.keeping({ made }, async () => {
    const left: ExpandedConfigs['skipped'][number][] = [...skipped];
    const ready: (Candidate & { readonly entry: ServerEntry })[] = [];
    for (const candidate of candidates.filter(({ action }) => action !== 'same')) {
      const before = candidate.row ? settingsOf(candidate.row) : {};
      const { planned, allowSecretArguments } = candidate;
      const secured = await book.secrets.secure(planned, before.secrets ?? [], allowSecretArguments);
      made.push(...secured.made);
      try {
        const entry = await makeRoom(book, who, candidate, secured);
        ready.push({ ...candidate, entry, notes: [...candidate.notes, ...secured.notes] });
      } catch (error) {
        await book.secrets.discard(secured.made);
        left.push(skippedFor(candidate.place, error));
      }
    }
    const saved = await commit(book, who, ready);
    for (const { row } of ready) if (row) await book.discardUnused(row);
    const done = new Map(ready.map(one => [one.read, one]));
    const all = candidates.flatMap(one => (one.action === 'same' ? [one] : (done.get(one.read) ?? [])));
    return outcome(all, left, saved);
  });
}

/** Ends what runs in the place of a server that will start otherwise, and gives the entry that replaces it. */
async function makeRoom(
  book: SavedBook,
  who: Actor,
  { row, planned, enabled: isOn, allowSecretArguments }: Candidate,
  secured: Secured,
): Promise<ServerEntry> {
  const { fleet } = book.needs;
  if (row === undefined) {
    await book.endUnsaved(who.agentId, planned);
    const serverKey = fleet.freeKey(who.agentId, planned);
    fleet.reserve(who.agentId, serverKey);
    return book.entry(who, secured, { serverKey, enabled: isOn, loaded: true, allowSecretArguments });
  }
  const { serverKey, enabled, loaded } = row;
  // What was allowed on purpose was allowed for that config, and does not pass to another one.
  const kept = { ...row, ...startOf({ ...secured.planned, ...allowed(row) }, settingsOf(row)), actor: who.actor };
  if (startsAlike(row, kept)) return { ...row, actor: who.actor };
  await book.end(row);
  return book.entry(who, secured, { serverKey, enabled, loaded, allowSecretArguments });
}

function allowed(row: SavedServer) {
  return settingsOf(row).allowUnsafe ? { allowUnsafe: true } : {};
}

async function commit(
  book: SavedBook,
  who: Actor,
  ready: readonly (Candidate & { readonly entry: ServerEntry })[],
): Promise<ReadonlyMap<string, SavedServer>> {
  const { servers, fleet, cache } = book.needs;
  try {
    for (const { entry } of ready) await book.record('server_saved', who, entry.name);
    await cache.idle();
    const saved = (await servers.save(ready.map(({ entry }) => entry))).map(({ server }) => server);
    for (const server of saved) {
      const { row } = ready.find(({ entry }) => entry.name === server.name) ?? {};
      if (row && !startsAlike(row, server)) cache.forget(server.serverId);
      await book.place(server);
    }
    return new Map(saved.map(server => [server.name, server]));
  } catch (error) {
    for (const { row, entry } of ready) {
      if (row) await book.place(row);
      else fleet.release(who.agentId, entry.serverKey);
    }
    throw error;
  }
}

function outcome(
  candidates: readonly Candidate[],
  skipped: ExpandedConfigs['skipped'],
  saved: ReadonlyMap<string, SavedServer>,
): SavedServersOutcome {
  const outcomes = candidates.map(({ read, planned, row, action, notes }): ImportOutcome => {
    const { serverId, serverKey } = row ?? saved.get(planned.name) ?? {};
    const key = serverKey ?? (planned.wantedKey as ServerKey);
    return { read, action, key, serverId, name: planned.name, notes, before: row, after: saved.get(planned.name) };
  });
  return { outcomes, skipped };
}

/** Only what is wrong with the entry is a reason to skip it; a mistake of ours stops the import. */
export function skippedFor(place: EntryPlace, error: unknown): ExpandedConfigs['skipped'][number] {
  if (!(error instanceof LongshoreError)) throw error;
  return { ...place, reason: error.message };
}
