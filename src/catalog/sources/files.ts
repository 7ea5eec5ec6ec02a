import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { CatalogContent } from '../catalog-entry.ts';
import { readCatalogFile, readDockerCatalog, unreadable } from '../read-docker-catalog.ts';
import type { CatalogSource } from './source.ts';

const mostBytes = 16 * 1024 * 1024;

/**
 * The user's own catalogs: the files of one folder (`*.yaml`, `*.yml`, `*.json`), each in the shape of Docker's catalog
 * files or of what `docker mcp catalog show` prints. A folder that is not there holds none.
 */
export function filesSource(folder: string): CatalogSource {
  return {
    id: 'files',
    place: folder,
    isLocal: true,
    async read() {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw unreadable(folder, error.message, error);
      });
      const files = names.filter(name => /\.(ya?ml|json)$/i.test(name)).sort();
      const contents = await Promise.all(files.map(name => contentOf(join(folder, name))));
      const entries = contents.flatMap(content => content.entries);
      const double = entries.find((entry, index) => entries.findIndex(one => one.name === entry.name) !== index);
      if (double !== undefined) throw unreadable(folder, `two of its entries are named ${JSON.stringify(double.name)}`);
      return {
        title: undefined,
        entries,
        unnamed: contents.reduce((count, content) => count + content.unnamed, 0),
      };
    },
  };
}

async function contentOf(path: string): Promise<CatalogContent> {
  let value: unknown;
  try {
    if ((await stat(path)).size > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
    // JSON is YAML too; aliases are bounded by the library, so that a small file cannot become a huge one.
    value = parse(await readFile(path, 'utf8'), { maxAliasCount: 100 });
  } catch (error) {
    throw unreadable(
      path,
      error instanceof Error ? (error.message.split('\n')[0] ?? '').replace(/[.:]$/, '') : String(error),
      error,
    );
  }
  const isShown = typeof value === 'object' && value !== null && 'servers' in value;
  return isShown ? readDockerCatalog(value, 'files', path) : readCatalogFile(value, 'files', path);
}
