import type { ServerKey } from '../core/ids.ts';
import type { Holding } from '../core/ports/ledger.ts';

/** What a thing in the ledger is called where a person sees it: its engine's id, else its name. */
export function holdingId({ engineId, name, id }: Pick<Holding, 'engineId' | 'name' | 'id'>): string {
  return engineId ?? name ?? id;
}

/** Everything by which the containers and process groups of each server are known. */
export function holdingIds(holdings: readonly Holding[]): ReadonlyMap<ServerKey, readonly string[]> {
  const ids = new Map<ServerKey, readonly string[]>();
  for (const { serverKey, engineId, name, id } of holdings) {
    const own = [engineId, name, id].filter(one => one !== null);
    ids.set(serverKey, [...(ids.get(serverKey) ?? []), ...own]);
  }
  return ids;
}
