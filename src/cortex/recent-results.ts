import { LRUCache } from 'lru-cache';
import type { RawResult } from '../core/words.ts';

/** The results of the last calls, for whoever asks what became of an approval; in memory only. */
export interface RecentResults {
  put(dispatchId: string, result: RawResult): void;
  get(dispatchId: string): RawResult | undefined;
}

/** So many, and only those that are not large: it is a courtesy, not a store. */
const most = 64;
const largest = 256 * 1024;

export function recentResults(): RecentResults {
  const kept = new LRUCache<string, RawResult>({ max: most });
  return {
    put(dispatchId, result) {
      if (JSON.stringify(result).length > largest) return;
      kept.set(dispatchId, result);
    },
    get: dispatchId => kept.get(dispatchId),
  };
}
