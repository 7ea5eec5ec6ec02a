import type { PlannedServer } from '../config/planned-server.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { SavedServer } from '../store/servers.ts';
import { type PlanSettings, plan } from './plan.ts';
import { planEntry } from './plan-entry.ts';
import { isExplicitImage } from './resolve-server.ts';
import type { SavedBook } from './saved-book.ts';
import { plannedOf, savedName } from './saved-plan.ts';

/** What a ref or config stands for: a saved server, or a plan of its own with the saved one of the same name beside it. */
export type Meant =
  | { readonly planned: undefined; readonly row: SavedServer; readonly isImage: false }
  | { readonly planned: PlannedServer; readonly row: SavedServer | undefined; readonly isImage: boolean };

/**
 * Finds what a ref or config stands for; starts nothing. Rejects with `unknown-server`, `ambiguous-ref`, or what is wrong
 * with the config or image.
 */
export async function meantBy(
  book: SavedBook,
  agentId: AgentId,
  ref: string | MCPServerConfig,
  settings: PlanSettings,
): Promise<Meant> {
  if (typeof ref !== 'string') {
    const planned = plan(ref, settings);
    return { planned, row: await book.named(agentId, savedName(agentId, planned)), isImage: false };
  }
  const { saved, running, image } = await book.resolve(agentId, ref);
  if (image !== undefined) return { planned: plan(image, settings), row: saved, isImage: true };
  if (saved) return { planned: undefined, row: saved, isImage: false };
  // Not an image and no server: the reader of images says what is wrong with it.
  if (!running && isExplicitImage(ref)) return { planned: plan(ref, settings), row: undefined, isImage: true };
  if (!running) return await offered(book, agentId, ref, settings);
  if (hasSettings(settings)) {
    throw new LongshoreError('usage', `${running.serverKey} is loaded with settings of its own. Unload it first.`);
  }
  return { planned: running.planned, row: undefined, isImage: false };
}

/** What a catalog has under that name; only asked for what is not here. Rejects with `unknown-server` or `catalog-unreadable` too. */
async function offered(book: SavedBook, agentId: AgentId, ref: string, settings: PlanSettings): Promise<Meant> {
  const entry = await book.needs.catalogs.entry(ref, { signal: book.closing }).catch((error: unknown) => {
    throw notKnown(ref, asLongshoreError(error));
  });
  if (entry === undefined) throw await book.unknown(agentId, ref);
  const kept = new Set((await book.needs.vault.list()).map(({ name }) => name));
  const planned = planEntry(entry, settings, name => kept.has(name));
  const row = await book.named(agentId, savedName(agentId, planned));
  return { planned, row, isImage: planned.image !== undefined };
}

/** Nobody guesses what a name means that is not here and may stand in a catalog that cannot be read (R74). */
function notKnown(ref: string, error: LongshoreError): LongshoreError {
  if (error.code !== 'catalog-unreadable') return error;
  const here = `There is no server ${JSON.stringify(ref)} here, and whether a catalog has it could not be found out.`;
  return new LongshoreError(error.code, `${here} ${error.message}`, {
    cause: error,
    ...(error.data && { data: error.data }),
  });
}

/** The same, as the plan that `load` would start by, and the key under which. */
export async function planFor(
  book: SavedBook,
  agentId: AgentId,
  ref: string | MCPServerConfig,
  settings: PlanSettings,
): Promise<{ readonly planned: PlannedServer; readonly key: ServerKey }> {
  const { fleet } = book.needs;
  const { row, isImage, planned: own } = await meantBy(book, agentId, ref, settings);
  const planned = row && (own === undefined || (isImage && !hasSettings(settings))) ? plannedOf(row) : own;
  if (planned === undefined) throw await book.unknown(agentId, typeof ref === 'string' ? ref : ref.name);
  const running = fleet.list(agentId).find(one => one.planned.identity === planned.identity);
  return { planned, key: row?.serverKey ?? running?.serverKey ?? fleet.freeKey(agentId, planned) };
}

/** True if something was set beside a ref or config. */
export function hasSettings({ env, args, container, allowUnsafe, deadlines, protocol, values }: PlanSettings): boolean {
  return [env, args, container, allowUnsafe, deadlines, protocol, values].some(setting => setting !== undefined);
}
