import type { PlannedServer } from '../config/planned-server.ts';
import { selector } from '../config/selector.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { SavedServer } from '../store/servers.ts';
import type { SaveSettings } from './add-server.ts';
import { startsAlike } from './change-server.ts';
import { entryOf } from './definition-cache.ts';
import type { StartOptions } from './fleet.ts';
import { mayStart } from './may-start.ts';
import { notLoaded } from './not-loaded.ts';
import { isExplicitImage, plan } from './plan.ts';
import { type Actor, displayName, rowMeant, type SavedBook, turnOf } from './saved-book.ts';
import { plannedOf, savedName, settingsOf, startOf } from './saved-plan.ts';
import type { ServerMember } from './server-member.ts';

/** What is to be loaded, and whether it is to be saved once it runs. */
export interface LoadRequest {
  readonly ref: string | MCPServerConfig;
  readonly settings: SaveSettings;
  readonly save: boolean;
  readonly options: StartOptions;
}

/** A server that runs, and what became of saving it. */
export interface Loaded {
  readonly member: ServerMember;
  /** True if it is saved as it runs now. */
  readonly saved: boolean;
  /** Why it could not be saved; it runs all the same (R68). */
  readonly saveError: LongshoreError | undefined;
}

/** What a ref or config means, next to what is saved. */
interface Meaning {
  readonly planned: PlannedServer;
  readonly row: SavedServer | undefined;
  /** The plan is not the row's: it is to replace what is saved. */
  readonly isOther: boolean;
}

/**
 * Starts what a person or program means: a saved server, an image, or a config (design.md, "ref"). With `save`, it is saved
 * after it has started (R68), in the mode in which it was loaded (R69). Rejects with `server-disabled`, `name-in-use` for a
 * config that is not the saved one of its name, or why it did not start.
 */
export async function loadServer(book: SavedBook, who: Actor, request: LoadRequest): Promise<Loaded> {
  const first = await meaningOf(book, who, request);
  const name = first.row?.name ?? savedName(who.agentId, first.planned);
  const turns = [turnOf(who.agentId, name), ...(first.row ? [first.row.serverId] : [])];
  // Only the beginning is a transition of the saved server; how long the start takes holds up nothing else of it.
  const begun = await book.turns.run(turns, async () => {
    const meaning = await meaningOf(book, who, request);
    return { meaning, started: await begin(book, who, meaning, request) };
  });
  const member = await begun.started();
  const { meaning } = begun;
  if (!request.save) return { member, saved: meaning.row !== undefined && !meaning.isOther, saveError: undefined };
  try {
    await book.turns.run(turns, () => keepLoaded(book, who, member, request.settings));
    return { member, saved: true, saveError: undefined };
  } catch (error) {
    return { member, saved: false, saveError: asLongshoreError(error) };
  }
}

/** Ends a server and starts it anew; a saved one that is not loaded is loaded. Rejects with `unknown-server` or as `loadServer`. */
export async function reloadServer(
  book: SavedBook,
  who: Actor,
  ref: string,
  options: StartOptions,
): Promise<ServerMember> {
  const { fleet } = book.needs;
  const member = fleet.find(who.agentId, selector(ref));
  const row = member ? await book.keyed(who.agentId, member.serverKey) : rowMeant(await book.rows(who.agentId), ref);
  if (row) mayStart(book, row);
  if (member) return await fleet.reload(who.agentId, member.serverKey, options);
  if (row) return (await loadServer(book, who, { ref: row.serverId, settings: {}, save: false, options })).member;
  throw notLoaded(fleet, who.agentId, ref);
}

async function meaningOf(book: SavedBook, { agentId }: Actor, request: LoadRequest): Promise<Meaning> {
  const { ref, settings, save } = request;
  const rows = await book.rows(agentId);
  const isImage = typeof ref === 'string' && isExplicitImage(ref);
  const meant = typeof ref === 'string' && !isImage ? rowMeant(rows, selector(ref)) : undefined;
  if (meant) {
    mayStart(book, meant);
    if (hasSettings(settings)) throw ownSettings(meant);
    return { planned: plannedOf(meant), row: meant, isOther: false };
  }
  const planned = plan(ref, book.known(rows), settings);
  const row = rows.find(one => one.name === savedName(agentId, planned));
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
  { agentId }: Actor,
  { planned, row, isOther }: Meaning,
  { ref, settings, options }: LoadRequest,
): Promise<() => Promise<ServerMember>> {
  const { fleet } = book.needs;
  if (row) await book.place(row);
  const existing = fleet.list(agentId).find(one => one.planned.identity === planned.identity);
  // A name alone means what runs of it, however it was started.
  const isGiven = typeof ref !== 'string' || hasSettings(settings);
  const isReplaced = existing && isGiven && !startsAlike(startOf(existing.planned, {}), startOf(planned, {}));
  const started =
    existing && (isOther || isReplaced)
      ? replaced(book, existing, planned, { row, options })
      : fleet.load(agentId, planned, options);
  // Whoever waits for it hears of a failure.
  void started.catch(() => undefined);
  return () => started;
}

/** Starts it by another plan; if that fails, the next start of a saved server is by what is saved. */
async function replaced(
  { needs: { fleet } }: SavedBook,
  member: ServerMember,
  planned: PlannedServer,
  { row, options }: { readonly row: SavedServer | undefined; readonly options: StartOptions },
): Promise<ServerMember> {
  const before = member.planned;
  try {
    return await fleet.reload(member.agentId, member.serverKey, options, planned);
  } catch (error) {
    if (row) member.replan(before);
    throw error;
  }
}

async function keepLoaded(book: SavedBook, who: Actor, member: ServerMember, settings: SaveSettings): Promise<void> {
  const { agentId, serverKey, planned } = member;
  const { fleet, servers, cache, registry } = book.needs;
  book.mustBeOpen();
  if (fleet.member(agentId, serverKey) !== member) {
    throw new LongshoreError('cancelled', `${serverKey} was unloaded before it could be saved.`);
  }
  const row = await book.named(agentId, savedName(agentId, planned));
  const before = row ? settingsOf(row) : {};
  const allowSecretArguments = settings.allowSecretArguments ?? before.allowSecretArguments ?? false;
  const secured = await book.secrets.secure(planned, before.secrets ?? [], allowSecretArguments);
  const entry = book.entry(who, secured, { serverKey, enabled: true, allowSecretArguments });
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
    fleet.keep(member, secured.planned);
    if (row) await book.discardUnused(row);
    const offered = registry.list(agentId, { ownerKey: serverKey }).map(entryOf);
    await cache.keepLogged(saved.serverId, offered, member.lastSaid, serverKey);
  }
}

function hasSettings({ env, args, container, allowUnsafe, deadlines, protocol }: SaveSettings): boolean {
  return [env, args, container, allowUnsafe, deadlines, protocol].some(setting => setting !== undefined);
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
