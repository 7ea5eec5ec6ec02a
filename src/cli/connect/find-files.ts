import { realpathSync } from 'node:fs';
import { allPlaces } from '../../config/clients/places.ts';
import type { Machine } from '../../config/data-folder.ts';
import { expandPlace, readText } from './client-file.ts';

/** The files of all clients that are on this machine and in that folder, each once, with their texts. Unreadable ones are left out. */
export function findClientFiles(
  machine: Machine,
  folder: string,
): readonly { readonly path: string; readonly text: string }[] {
  const found = new Map<string, { readonly path: string; readonly text: string }>();
  for (const path of allPlaces(machine, folder).flatMap(expandPlace)) {
    try {
      const text = readText(path);
      const real = text === undefined ? path : realpathSync(path);
      if (text !== undefined && !found.has(real)) found.set(real, { path, text });
    } catch {
      // A folder of that name, or a file of somebody else: there is nothing to import from it.
    }
  }
  return [...found.values()];
}
