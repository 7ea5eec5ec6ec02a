import type { HomeId } from '../core/ids.ts';
import { type ImageTransports, imageTransportsInMemory } from '../core/ports/image-transports.ts';
import { createNameBook, type NameBook } from '../docker/container-names.ts';
import { createImageStore, type ImageStore } from '../docker/images.ts';

/** What all container servers of one host share. */
export interface ContainerContext {
  /** In the labels of every container of ours, over all runs of this home. */
  readonly homeId: HomeId;
  /** Longshore's home, which no container may see; absent where there is none. */
  readonly homeFolder: string | undefined;
  /** For id files. */
  readonly temporaryFolder: string;
  readonly names: NameBook;
  readonly images: ImageStore;
  readonly transports: ImageTransports;
}

/** One per host. */
export function createContainerContext(setup: {
  readonly homeId: HomeId;
  readonly homeFolder: string | undefined;
  readonly temporaryFolder: string;
  readonly transports?: ImageTransports;
}): ContainerContext {
  return {
    transports: imageTransportsInMemory(),
    ...setup,
    names: createNameBook(),
    images: createImageStore(),
  };
}
