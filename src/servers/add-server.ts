import type { PlannedServer } from '../config/planned-server.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import type { Diagnostic } from '../core/words.ts';
import type { SavedServer } from '../store/servers.ts';
import { type PlanSettings, plan } from './plan.ts';
import { isExplicitImage } from './resolve-server.ts';
import { type Actor, displayName, type SavedBook } from './saved-book.ts';
import { savedName } from './saved-plan.ts';

/** What may be set where a server is saved. */
export interface SaveSettings extends PlanSettings {
  /** Lets secrets stand in the command line, where every program of the machine can read them; they are stored as secrets all the same. */
  readonly allowSecretArguments?: boolean;
}

/** A server as it is saved now, and what a person should know about that. */
export interface Noted {
  readonly server: SavedServer;
  /** What is odd about its config, and where its secrets were put. */
  readonly notes: readonly Diagnostic[];
}

/**
 * Saves a new server, not started. Rejects with `name-in-use` for a name that is saved already, and with what is wrong
 * with the config or image; nothing is saved then.
 */
export async function addServer(
  book: SavedBook,
  who: Actor,
  server: string | MCPServerConfig,
  settings: SaveSettings = {},
): Promise<Noted> {
  const { agentId } = who;
  const { fleet, servers } = book.needs;
  const { allowSecretArguments = false } = settings;
  const find = async () => {
    const planned = await plannedNew(book, agentId, server, settings);
    const name = savedName(agentId, planned);
    return { meant: { planned, name }, names: [name] };
  };
  return await book.inOrder(agentId, find, async ({ planned, name }) => {
    book.mustBeOpen();
    const existing = await book.named(agentId, name);
    if (existing) throw savedAlready(existing);
    const secured = await book.secrets.secure(planned, [], allowSecretArguments);
    return await book.keeping(secured, async () => {
      await book.endUnsaved(agentId, planned);
      const serverKey = fleet.freeKey(agentId, planned);
      fleet.reserve(agentId, serverKey);
      try {
        await book.record('server_saved', who, name);
        const entry = book.entry(who, secured, { serverKey, enabled: true, loaded: true, allowSecretArguments });
        const [saved] = await servers.save([entry]);
        if (!saved) throw new LongshoreError('internal', `${name} was not saved.`);
        await book.place(saved.server);
        return { server: saved.server, notes: [...planned.diagnostics, ...secured.notes] };
      } catch (error) {
        fleet.release(agentId, serverKey);
        throw error;
      }
    });
  });
}

/** Rejects a name of something that is there already, and a bare word, which is no image. */
async function plannedNew(
  book: SavedBook,
  agentId: AgentId,
  server: string | MCPServerConfig,
  settings: SaveSettings,
): Promise<PlannedServer> {
  if (typeof server !== 'string') return plan(server, settings);
  const { saved } = await book.resolve(agentId, server);
  if (saved && !isExplicitImage(server)) throw savedAlready(saved);
  if (!isExplicitImage(server)) throw await book.unknown(agentId, server);
  return plan(server, settings);
}

function savedAlready(existing: SavedServer): LongshoreError {
  return new LongshoreError(
    'name-in-use',
    `A server ${displayName(existing)} is saved already. Change that one, or choose another name.`,
  );
}
