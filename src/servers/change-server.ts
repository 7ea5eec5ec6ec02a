import { parseConfigBody } from '../config/parse-config-body.ts';
import type { PlannedServer } from '../config/planned-server.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { LongshoreError } from '../core/errors.ts';
import { canonicalJson, type JsonObject } from '../core/json.ts';
import type { SavedServer, ServerEntry } from '../store/servers.ts';
import type { Noted, SaveSettings } from './add-server.ts';
import { changedConfig } from './config-change.ts';
import { type PlanSettings, plan } from './plan.ts';
import { type Actor, displayName, type SavedBook } from './saved-book.ts';
import { configOf, isLegacy, legacyError, type SavedStart, savedName, settingsOf } from './saved-plan.ts';

/** What may be changed beside the config; what is absent stays. */
export interface ChangeSettings extends Pick<SaveSettings, 'container' | 'allowUnsafe' | 'allowSecretArguments'> {
  /** The change is the whole config anew: fields that are absent go. */
  readonly whole?: boolean;
}

/**
 * Changes a saved server (see `changedConfig`); its id and key stay. If it would start as anything else now, what runs
 * of it is ended first, awaited, and what it was known to offer is forgotten (R4). Rejects with `close-failed` (nothing is
 * changed then), `name-in-use`, or what is wrong with the change.
 */
export async function changeServer(
  book: SavedBook,
  who: Actor,
  ref: string,
  change: JsonObject,
  settings: ChangeSettings = {},
): Promise<Noted> {
  const newName = typeof change['name'] === 'string' ? [change['name']] : [];
  return await book.inTurn(
    who.agentId,
    ref,
    async row => {
      if (isLegacy(row)) throw legacyError(row);
      const before = settingsOf(row);
      const allowSecretArguments = settings.allowSecretArguments ?? before.allowSecretArguments ?? false;
      const { whole, ...set } = settings;
      const planned = changedPlan(row, changedConfig(configOf(row), change, whole), { ...before, ...set });
      const taken = await book.named(who.agentId, savedName(who.agentId, planned));
      if (taken && taken.serverId !== row.serverId) {
        throw new LongshoreError(
          'name-in-use',
          `A server ${displayName(taken)} is saved already. Choose another name.`,
        );
      }
      const secured = await book.secrets.secure(planned, before.secrets ?? [], allowSecretArguments);
      const { serverKey, enabled, loaded } = row;
      const entry = book.entry(who, secured, { serverKey, enabled, loaded, allowSecretArguments });
      const changed = startsAlike(row, entry)
        ? row
        : await book.keeping(secured, () => replaceRow(book, who, row, entry));
      return { server: changed, notes: [...planned.diagnostics, ...secured.notes] };
    },
    newName,
  );
}

/** True if two rows start the same server in the same way. */
export function startsAlike(one: SavedStart, other: SavedStart): boolean {
  return canonicalStart(one) === canonicalStart(other);
}

function canonicalStart({ mode, config, image, args }: SavedStart): string {
  return canonicalJson({ mode, config, image, args });
}

/** Ends what runs of a server and puts another entry in its place; if that cannot be saved, it stays as it was. */
export async function replaceRow(
  book: SavedBook,
  who: Actor,
  row: SavedServer,
  entry: ServerEntry,
): Promise<SavedServer> {
  await book.end(row);
  const changed = await update(book, who, row, entry).catch(async (error: unknown) => {
    await book.place(row);
    throw error;
  });
  await book.place(changed);
  await book.discardUnused(row);
  return changed;
}

async function update(book: SavedBook, who: Actor, row: SavedServer, entry: ServerEntry): Promise<SavedServer> {
  const { servers, cache } = book.needs;
  await book.record('server_changed', who, row.name);
  // What is still being written is about the server as it was.
  await cache.idle();
  const { agentId: _, serverKey: __, ...changes } = entry;
  const changed = await servers.update(row.serverId, changes);
  cache.forget(row.serverId);
  return changed;
}

function changedPlan(row: SavedServer, config: JsonObject, settings: PlanSettings): PlannedServer {
  const { allowUnsafe, container } = settings;
  const kept = { ...(allowUnsafe && { allowUnsafe }), ...(container && { container }) };
  // Whatever is wrong with it is said by the one reader of configs, which `plan` asks.
  if (row.image === null) return plan(config as unknown as MCPServerConfig, kept);
  const { env, args, deadlines, protocol } = ofImage(row, config);
  return plan(row.image, {
    ...kept,
    ...(env && { env }),
    ...(args && { args }),
    ...(deadlines && { deadlines }),
    ...(protocol !== undefined && { protocol }),
  });
}

/** An image has no command and no address; of the rest the same is valid as for any server. */
function ofImage({ serverKey }: SavedServer, config: JsonObject): MCPServerConfig {
  const { env, args, deadlines, protocol, ...others } = config;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new LongshoreError(
      'bad-config',
      `${other} cannot be set for an image; only env, args, deadlines and protocol can.`,
      {
        data: { problems: [{ path: other, message: 'is no field of an image' }] },
      },
    );
  }
  const given = {
    ...(env && { env }),
    ...(args && { args }),
    ...(deadlines && { deadlines }),
    ...(protocol !== undefined && { protocol }),
  };
  const parsed = parseConfigBody({ name: serverKey, command: 'image', ...given });
  if ('error' in parsed) throw parsed.error;
  return parsed.config;
}
