import type { MCPServerConfig } from '../config/types.ts';
import type { ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Diagnostic } from '../core/words.ts';
import type { OnPhase } from '../runners/runner.ts';
import type { SavedMode, SavedServer } from '../store/servers.ts';
import { addServer, type Noted, type SaveSettings } from './add-server.ts';
import { type ChangeSettings, changeServer } from './change-server.ts';
import type { FileToImport, ImportedFile, ImportFilesOptions } from './import-files.ts';
import { type ImportOptions, type ImportResult, importServers } from './import-servers.ts';
import type { RefreshedTools } from './refreshes.ts';
import { removeServer, type UnloadOutcome } from './remove-server.ts';
import type { Actor, SavedBook } from './saved-book.ts';
import type { ServerInfo } from './server-info.ts';
import { savedInfos } from './server-infos.ts';
import { disableServer, enableServer } from './switch-server.ts';
import { type UndoneImport, undoImport } from './undo-import.ts';

/** What names a saved server for good. */
export interface SavedId {
  readonly serverId: string;
  readonly name: string;
  /** Its server key. */
  readonly server: ServerKey;
  readonly mode: SavedMode;
}

/** The same, with what is odd about its config, and where its secrets were put. */
export interface SavedAs extends SavedId {
  readonly notes: readonly Diagnostic[];
}

/** An agent's saved servers, for one actor. For what a `ref` may be see `resolveServer`; unknown ones are `unknown-server`. */
export interface SavedServers {
  list(): Promise<readonly ServerInfo[]>;
  /** The one that is meant. */
  find(ref: string): Promise<SavedId>;
  /** Saves a config or an image, not started; its first tools come with `refreshTools` or a load. */
  add(server: string | MCPServerConfig, settings?: SaveSettings): Promise<SavedAs>;
  /** A field that is absent or masked keeps its value; what runs by the old config is ended first (R4). */
  change(ref: string, change: JsonObject, settings?: ChangeSettings): Promise<SavedAs>;
  /** Ended, awaited, then forgotten (R4); `close-failed` keeps it. */
  remove(ref: string): Promise<UnloadOutcome>;
  enable(ref: string): Promise<SavedId>;
  /** Ended; nothing starts it until it is enabled. */
  disable(ref: string): Promise<SavedId>;
  importJson(text: string, options?: ImportOptions): Promise<ImportResult>;
  /** Takes over files of other clients; see `importFiles`. */
  importFiles(files: readonly FileToImport[], options: ImportFilesOptions): Promise<readonly ImportedFile[]>;
  /** Takes the last import of files back; see `undoImport`. */
  undoImport(): Promise<UndoneImport>;
  /** Keys of the servers that each client's file had when it was imported. */
  importedFrom(): Promise<Readonly<Record<string, readonly ServerKey[]>>>;
  /** Lists a server on a connection of its own, beside the one that may be live; `already-running` while one does so. */
  refreshTools(
    ref: string,
    options?: { readonly signal?: AbortSignal; readonly onPhase?: OnPhase },
  ): Promise<RefreshedTools>;
}

/** The verbs on the saved servers of one agent. */
export function savedServers(book: SavedBook, who: Actor): SavedServers {
  return {
    list: () => savedInfos(book, who.agentId),
    find: ref => book.find(who.agentId, ref).then(idOf),
    add: (server, settings) => addServer(book, who, server, settings).then(savedAs),
    change: (ref, change, settings) => changeServer(book, who, ref, change, settings).then(savedAs),
    remove: ref => removeServer(book, who, ref),
    enable: ref => enableServer(book, who, ref).then(idOf),
    disable: ref => disableServer(book, who, ref).then(idOf),
    importJson: (text, options) => importServers(book, who, text, options),
    async importFiles(files, options) {
      // The readers of all formats are only loaded by whoever imports.
      const { importFiles } = await import('./import-files.ts');
      return await importFiles(book, who, files, options);
    },
    undoImport: () => undoImport(book, who),
    async importedFrom() {
      const keys = new Map((await book.rows(who.agentId)).map(({ serverId, serverKey }) => [serverId, serverKey]));
      const clients = [...(await book.needs.imports.clients(who.agentId))];
      return Object.fromEntries(clients.map(([client, ids]) => [client, ids.flatMap(id => keys.get(id) ?? [])]));
    },
    refreshTools: (ref, { signal = new AbortController().signal, onPhase = () => {} } = {}) =>
      book.refreshes.run(book, who.agentId, ref, signal, onPhase),
  };
}

function idOf({ serverId, name, serverKey, mode }: SavedServer): SavedId {
  return { serverId, name, server: serverKey, mode };
}

function savedAs({ server, notes }: Noted): SavedAs {
  return { ...idOf(server), notes };
}
