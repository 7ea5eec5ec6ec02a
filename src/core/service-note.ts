import { isJsonObject } from './json.ts';

/** Names of the files in a home by which a client finds its service. */
export const homeFiles = { serviceNote: 'lock.json', operatorToken: 'operator.token' } as const;

/** What the program that works on a home tells those who may read the home. */
export interface ServiceNote {
  readonly pid: number;
  /** The folder itself, by its real path: a note that was copied along with a home is no note of the copy. */
  readonly home: string;
  /** Where it is reached from this machine, without a slash at the end; absent until it listens, or if it never does. */
  readonly url?: string;
  /** Its certificate as PEM, where the URL is https: nothing else is trusted. */
  readonly certificate?: string;
}

/** A note as text; undefined for what is none. */
export function parseServiceNote(text: string): ServiceNote | undefined {
  try {
    const note: unknown = JSON.parse(text);
    if (!isJsonObject(note)) return undefined;
    const { pid, home, url, certificate } = note;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    if (typeof home !== 'string') return undefined;
    return {
      pid,
      home,
      ...(typeof url === 'string' && { url }),
      ...(typeof certificate === 'string' && { certificate }),
    };
  } catch {
    return undefined;
  }
}
