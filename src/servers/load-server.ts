import type { PlannedServer } from '../config/planned-server.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { SavedServer } from '../store/servers.ts';
import type { SaveSettings } from './add-server.ts';
import { startsAlike } from './change-server.ts';
import { entryOf } from './definition-cache.ts';
import type { StartOptions } from './fleet.ts';
import type { ManagedServer } from './managed-server.ts';
import { mayStart } from './may-start.ts';
import { hasSettings, type Meant, meantBy } from './meant-by.ts';
import { type About, type Actor, displayName, type SavedBook } from './saved-book.ts';
import { plannedOf, savedName, settingsOf, startOf } from './saved-plan.ts';
import { loadedOrSaved } from './unload-server.ts';

/** What is to be loaded, and whether it is to be saved once it runs. */
export interface LoadRequest {
  readonly ref: string | MCPServerConfig;
  readonly settings: SaveSettings;
  readonly save: boolean;
  readonly options: StartOptions;
}

/** A server that runs, and what became of saving it. */
export interface Loaded {
  readonly server: ManagedServer;
  /** True if it is saved as it runs now. */
  readonly saved: boolean;
  /** Why it could not be saved; it runs all the same (R68). */
  readonly saveError: LongshoreError | undefined;
}

/** What it means in its turn, next to what is saved then. */
interface Meaning {
  readonly planned: PlannedServer;
  readonly row: SavedServer | undefined;
  /** The plan is not the row's: it is to replace what is saved. */
  readonly isOther: boolean;
}

/**
 * Starts what a person or program means: a saved server, an image, or a config. With `save`, it is saved after it has
 * started (R68), in the mode in which it was loaded (R69). Rejects with `server-disabled`, `name-in-use` for a config that
 * is not the saved one of its name, or why it did not start.
 */
export async function loadServer(book: SavedBook, who: Actor, request: LoadRequest): Promise<Loaded> {
  // Only the beginning is a transition of the saved server; how long the start takes holds up nothing else of it.
  const begun = await book.inOrder(
    who.agentId,
    () => aboutLoad(book, who, request),
    async meant => {
      const meaning = await meaningOf(book, who, request, meant);
      return { meaning, started: await begin(book, who, meaning, request) };
    },
  );
  const server = await begun.started();
  const { planned, row, isOther } = begun.meaning;
  if (!request.save) return { server, saved: row !== undefined && !isOther, saveError: undefined };
  const names = [row?.name ?? savedName(who.agentId, planned), ...(row ? [row.serverId] : [])];
  try {
    await book.inOrder(
      who.agentId,
      () => Promise.resolve({ meant: server, names }),
      started => keepLoaded(book, who, started, request.settings),
    );
    return { server, saved: true, saveError: undefined };
  } catch (error) {
    return { server, saved: false, saveError: asLongshoreError(error) };
  }
}

/**
 * Ends a server and starts it anew; a saved one that is not loaded is loaded. Rejects with `unknown-server` or as
 * `loadServer`.
 */
export async function reloadServer(
  book: SavedBook,
  who: Actor,
  ref: string,
  options: StartOptions,
): Promise<ManagedServer> {
  const { fleet } = book.needs;
  const { agentId } = who;
  const begun = await book.inOrder(
    agentId,
    () => loadedOrSaved(book, agentId, ref),
    async ({ key }) => {
      const row = await book.keyed(agentId, key);
      if (row) mayStart(book, row);
      if (fleet.server(agentId, key)) return startLater(fleet.reload(agentId, key, options));
      if (!row) throw await book.unknown(agentId, ref);
      const request: LoadRequest = { ref: row.serverId, settings: {}, save: false, options };
      return await begin(book, who, { planned: plannedOf(row), row, isOther: false }, request);
    },
  );
  return await begun();
}

async function aboutLoad(book: SavedBook, { agentId }: Actor, { ref, settings }: LoadRequest): Promise<About<Meant>> {
  const meant = await meantBy(book, agentId, ref, settings);
  const { row, planned } = meant;
  const names = [...(row ? [row.serverId, row.name] : []), ...(planned ? [savedName(agentId, planned)] : [])];
  return { meant, names, brings: true };
}

async function meaningOf(
  book: SavedBook,
  { agentId }: Actor,
  { settings, save }: LoadRequest,
  { planned, row: known, isImage }: Meant,
): Promise<Meaning> {
  if (!planned) {
    const row = await book.find(agentId, known.serverId);
    mayStart(book, row);
    if (hasSettings(settings)) throw ownSettings(row);
    return { planned: plannedOf(row), row, isOther: false };
  }
  const row = await book.named(agentId, savedName(agentId, planned));
  const { secrets = [], allowSecretArguments = settings.allowSecretArguments ?? false } = row ? settingsOf(row) : {};
  if (save) book.secrets.check(planned, allowSecretArguments);
  if (!row) return { planned, row: undefined, isOther: false };
  mayStart(book, row);
  if (isImage && !hasSettings(settings)) return { planned: plannedOf(row), row, isOther: false };
  const secured = await book.secrets.secured(planned, secrets);
  const isSame = startsAlike(row, { ...row, ...startOf(secured, { secrets, allowSecretArguments }) });
  if (isSame) return { planned: plannedOf(row), row, isOther: false };
  if (!save) throw savedOtherwise(row);
  return { planned, row, isOther: true };
}

/** Brings the server into the fleet; the function that it gives waits for its start. */
async function begin(
  book: SavedBook,
  who: Actor,
  { planned, row }: Meaning,
  { ref, settings, options }: LoadRequest,
): Promise<() => Promise<ManagedServer>> {
  book.mustBeOpen();
  if (row) await book.place(await loadedRow(book, who, row));
  // A name alone means what runs of it, however it was started.
  const isGiven = typeof ref !== 'string' || hasSettings(settings);
  const replaces = (running: PlannedServer) => isGiven && !startsAlike(startOf(running, {}), startOf(planned, {}));
  return startLater(book.needs.fleet.load(who.agentId, planned, options, replaces));
}

/** One that was unloaded is loaded from now on, whatever becomes of this start. */
async function loadedRow(book: SavedBook, who: Actor, row: SavedServer): Promise<SavedServer> {
  if (row.loaded) return row;
  await book.record('server_loaded', who, row.name);
  return await book.needs.servers.update(row.serverId, { loaded: true, actor: who.actor });
}

function startLater(started: Promise<ManagedServer>): () => Promise<ManagedServer> {
  // Whoever waits for it hears of a failure.
  void started.catch(() => undefined);
  return () => started;
}

async function keepLoaded(book: SavedBook, who: Actor, server: ManagedServer, settings: SaveSettings): Promise<void> {
  const { agentId, serverKey, planned } = server;
  const { fleet, servers, cache, registry } = book.needs;
  book.mustBeOpen();
  if (fleet.server(agentId, serverKey) !== server) {
    throw new LongshoreError('cancelled', `${serverKey} was unloaded before it could be saved.`);
  }
  const row = await book.named(agentId, savedName(agentId, planned));
  const before = row ? settingsOf(row) : {};
  const allowSecretArguments = settings.allowSecretArguments ?? before.allowSecretArguments ?? false;
  const secured = await book.secrets.secure(planned, before.secrets ?? [], allowSecretArguments);
  const entry = book.entry(who, secured, { serverKey, enabled: true, loaded: true, allowSecretArguments });
  if (!row || !startsAlike(row, entry)) {
    const saved = await book.keeping(secured, async () => {
      await book.record('server_saved', who, entry.name);
      await cache.idle();
      const [written] = await servers.save([entry]);
      if (!written) throw new LongshoreError('internal', `${entry.name} was not saved.`);
      return written.server;
    });
    cache.forget(saved.serverId);
    cache.follow(agentId, serverKey, saved.serverId);
    fleet.keep(server, secured.planned);
    if (row) await book.discardUnused(row);
    const offered = registry.list(agentId, { ownerKey: serverKey }).map(entryOf);
    await cache.keepLogged(saved.serverId, offered, server.lastSaid, serverKey);
  }
}

function ownSettings(row: SavedServer): LongshoreError {
  return new LongshoreError(
    'usage',
    `${displayName(row)} is saved with settings of its own and is loaded with them. Change the saved server instead.`,
  );
}

function savedOtherwise(row: SavedServer): LongshoreError {
  const name = displayName(row);
  return new LongshoreError(
    'name-in-use',
    `${name} is saved, and not like this. Load it by its name, change what is saved, or choose another name.`,
  );
}
