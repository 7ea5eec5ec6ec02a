import type { CatalogContent } from '../catalog-entry.ts';

/** A place that catalogs are read from. A new kind is a file beside this one and a line where the host lists them. */
export interface CatalogSource {
  /** By which entries, the cache and errors name it. */
  readonly id: string;
  /** Where it is, for a person: a reference, a folder. */
  readonly place: string;
  /** True for what is at hand at once and therefore not cached: our own list, the user's files. */
  readonly isLocal: boolean;
  /**
   * Reads all of it. Starts no server and pulls no image of one (R75). Rejects with `catalog-unreadable`, which names the
   * source (R74), or `cancelled`.
   */
  read(options: ReadOptions): Promise<CatalogContent>;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** What is going on, for a person; never parsed (R73). */
  readonly onProgress?: (line: string) => void;
}
