import type { Digest } from '../ids.ts';

/** How an image was found to be spoken to, when it was last started in just this way. */
export type ImageTransport =
  | { readonly transport: 'stdio' }
  /** `port` is the one inside the container. */
  | { readonly transport: 'streamable-http'; readonly port: number; readonly path: string };

/**
 * Remembers how images are spoken to, by a digest over the image's own id and everything it is started with: another
 * build, argument or setting may speak otherwise. A hint like any other: only an MCP answer decides.
 */
export interface ImageTransports {
  get(key: Digest): Promise<ImageTransport | undefined>;
  put(key: Digest, found: ImageTransport): Promise<void>;
  forget(key: Digest): Promise<void>;
}

/** Remembers for the life of one process. */
export function imageTransportsInMemory(): ImageTransports {
  const known = new Map<Digest, ImageTransport>();
  return {
    get: key => Promise.resolve(known.get(key)),
    put: (key, found) => Promise.resolve(void known.set(key, found)),
    forget: key => Promise.resolve(void known.delete(key)),
  };
}
