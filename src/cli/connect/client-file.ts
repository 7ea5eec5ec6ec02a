import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Bridge, type ConnectableClient, connectableClients } from '../../config/clients/connectable.ts';
import { clientPlaces } from '../../config/clients/places.ts';
import { type Machine } from '../../config/data-folder.ts';
import { LongshoreError } from '../../core/errors.ts';

/** The client of that name. Throws `usage`, naming all. */
export function namedClient(name: string): ConnectableClient {
  const found = connectableClients.find(client => client.name === name);
  if (found) return found;
  const names = connectableClients.map(client => client.name).join(', ');
  throw new LongshoreError('usage', `There is no client ${JSON.stringify(name)}; there is ${names}.`);
}

/** A client's own file on this machine. */
export interface ClientFile {
  readonly path: string;
  /** Undefined where there is no file. */
  readonly text: string | undefined;
  /** Whether the client seems to be installed: its file or the folder of it is there. */
  readonly isFound: boolean;
}

/** The file of a client: the first of its places that is there, else the likeliest. Throws `usage` for one that cannot be read. */
export function clientFile(client: ConnectableClient, machine: Machine): ClientFile {
  const places = clientPlaces(client.name, machine).filter(place => !place.includes('*'));
  const path =
    places.find(place => existsSync(place)) ?? places.find(place => existsSync(dirname(place))) ?? places[0] ?? '';
  const folder = dirname(path);
  // A file in the home itself has no folder that would tell.
  const sign = folder === machine.homeDir ? join(folder, `.${client.name.replace(/-.*/, '')}`) : folder;
  return { path, text: readText(path), isFound: existsSync(path) || existsSync(sign) };
}

/** The text of a file, byte for byte, or undefined if there is none. Throws `usage`. */
export function readText(path: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new LongshoreError('usage', `The file ${path} cannot be read as text; it was left as it is.`, { cause });
  }
}

/** Every file that a path with `*` in single steps means. */
export function expandPlace(place: string): readonly string[] {
  const at = place.search(/[^\\/]*\*/);
  if (at === -1) return [place];
  const folder = place.slice(0, at - 1);
  const [step = '', ...rest] = place.slice(at).split(/[\\/]/);
  const pattern = new RegExp(
    `^${step
      .split('*')
      .map(part => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
  try {
    const names = readdirSync(folder)
      .filter(name => pattern.test(name))
      .sort();
    return names.flatMap(name => expandPlace(join(folder, name, ...rest)));
  } catch {
    return [];
  }
}

/** How this very installation is started, with what of its environment is not as it is by default. */
export function ownBridge(caller: string, { env }: Pick<Machine, 'env'>): Bridge {
  const launcher = join(import.meta.dirname, '..', '..', '..', 'bin', 'longshore.js');
  const kept = ['LONGSHORE_HOME', 'LONGSHORE_PORT'].flatMap(name =>
    env[name] ? [[name, name === 'LONGSHORE_HOME' ? resolve(env[name]) : env[name]]] : [],
  );
  return { command: process.execPath, args: [launcher, 'mcp', '--caller', caller], env: Object.fromEntries(kept) };
}
