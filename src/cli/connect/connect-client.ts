import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type ConnectableClient, connectableClients } from '../../config/clients/connectable.ts';
import { connectedText, disconnectedText, entryIn } from '../../config/clients/edited-text.ts';
import { textDiff } from '../../config/clients/text-diff.ts';
import type { Machine } from '../../config/data-folder.ts';
import { asLongshoreError, LongshoreError } from '../../core/errors.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { clientFile, ownBridge } from './client-file.ts';
import type { Connections } from './connections.ts';

/** What was done to a client's file, or would be. */
export interface ClientEdit {
  readonly client: string;
  readonly path: string;
  /** `skip`: it was left alone, and `reason` says why. */
  readonly action: 'connect' | 'disconnect' | 'same' | 'skip';
  /** As `diff -u` has it, secrets masked. */
  readonly diff: string;
  /** What a person has to do for the client to take notice. */
  readonly restart: string;
  readonly reason?: string;
}

/** An edit that is worked out, and the writing of it. */
export interface PlannedEdit extends ClientEdit {
  apply(): void;
}

/** Whether a client has our entry. */
export interface ClientStatus {
  readonly client: string;
  readonly title: string;
  readonly path: string;
  /** `broken`: a program or file that its entry names is gone. */
  readonly state: 'connected' | 'broken' | 'not connected' | 'not found' | 'unreadable';
  readonly reason?: string;
}

/** Works out how a client is connected. Throws `bad-config` or `usage` for a file that is left alone. */
export function planConnect(client: ConnectableClient, machine: Machine, connections: Connections): PlannedEdit {
  const { path, text } = clientFile(client, machine);
  const after = named(path, () => connectedText(text ?? '', client, client.entry(ownBridge(client.name, machine))));
  const action = after === text ? 'same' : 'connect';
  const diff = textDiff(text ?? '', after, path);
  return edit(client, path, action, diff, () => connections.write(client.name, path, text, after));
}

/** Works out how its entry is taken out again: to the byte where nobody changed the file since, else by an edit. */
export function planDisconnect(client: ConnectableClient, machine: Machine, connections: Connections): PlannedEdit {
  const { path, text } = clientFile(client, machine);
  if (text === undefined || named(path, () => entryIn(text, client)) === undefined)
    return edit(client, path, 'same', '', () => {});
  const original = connections.original(client.name, path, text);
  // Where an older entry was replaced, what was there before is no longer wanted either.
  const isWhole = original === null || (original !== undefined && entryIn(original, client) === undefined);
  const after = !isWhole ? named(path, () => disconnectedText(text, client)) : original;
  return edit(client, path, 'disconnect', textDiff(text, after ?? '', path), () =>
    connections.restore(client.name, path, after),
  );
}

function edit(
  { name, restart }: ConnectableClient,
  path: string,
  action: ClientEdit['action'],
  diff: string,
  apply: () => void,
): PlannedEdit {
  return { client: name, path, action, diff, restart, apply };
}

/** Says which file it is about. */
function named<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    const { code, message } = asLongshoreError(error);
    throw new LongshoreError(code, `${path}: ${message}`, { cause: error });
  }
}

/** Every client that is known, and whether it is connected. */
export function clientStatuses(machine: Machine): readonly ClientStatus[] {
  return connectableClients.map(client => {
    const { name, title } = client;
    try {
      const { path, text, isFound } = clientFile(client, machine);
      const entry = text === undefined ? undefined : entryIn(text, client);
      const state = entry !== undefined ? 'connected' : isFound ? 'not connected' : 'not found';
      const gone = entry === undefined ? [] : pathsIn(entry).filter(one => !existsSync(one));
      if (gone.length === 0) return { client: name, title, path, state };
      return { client: name, title, path, state: 'broken', reason: `${gone.join(' and ')} is gone` };
    } catch (error) {
      const { message } = asLongshoreError(error);
      return { client: name, title, path: '', state: 'unreadable', reason: message };
    }
  });
}

/** The programs and files that an entry names. */
function pathsIn(entry: JsonValue): readonly string[] {
  if (!isJsonObject(entry)) return [];
  const { command, cmd, args } = entry;
  const words = [command, cmd, args].flatMap(word => (Array.isArray(word) ? (word as JsonValue[]) : [word ?? null]));
  return words.filter(word => typeof word === 'string').filter(isAbsolute);
}
