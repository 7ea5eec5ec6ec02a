import { isAbsolute } from 'node:path';
import { ownerFolder } from '../config/dialects/owner-folder.ts';
import { readForeignFile } from '../config/dialects/read-foreign-file.ts';
import { type NeededSecret, settle } from '../config/dialects/settle.ts';
import type { ForeignFile, ForeignServer, ImportWarning } from '../config/dialects/types.ts';
import { warningTexts } from '../config/dialects/warning-texts.ts';
import type { PlannedServer } from '../config/planned-server.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { LongshoreError } from '../core/errors.ts';
import type { ServerKey } from '../core/ids.ts';
import { canonicalJson, type JsonObject } from '../core/json.ts';
import { withMaskedSecrets } from './clear-secrets.ts';
import { type ImportOutcome, type ReadServer, saveServers } from './import-servers.ts';
import { isOwnEntry } from './own-entry.ts';
import { plan } from './plan.ts';
import type { Actor, SavedBook } from './saved-book.ts';

/** A file to import, or a text that was pasted. */
export interface FileToImport {
  /** Absolute. */
  readonly path?: string;
  readonly text: string;
  /** The format, where a person names it. */
  readonly from?: string;
}

/** Where files come from, and how they are imported. */
export interface ImportFilesOptions {
  readonly platform: NodeJS.Platform;
  /** The home of whoever has the files. */
  readonly home: string;
  /** Says what would be done and does none of it. */
  readonly dryRun: boolean;
  /** Of servers that several files have under one name with another start: the one of this file's format counts. */
  readonly prefer?: string;
}

/** Something a person should know of one server, or of a file. */
export interface FileNote {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

/** One server of a file, and what was done with it or would be. */
export interface FileServer {
  readonly name: string;
  readonly key: string;
  readonly action: ImportOutcome['action'] | 'skip';
  /** Whether it may be started. */
  readonly enabled: boolean;
  /** As it is saved; secrets in clear are `«secret»`. Empty for an entry that is no server. */
  readonly config: JsonObject;
  readonly warnings: readonly FileNote[];
  readonly needs: readonly NeededSecret[];
}

/** One file, and what came of it. */
export interface ImportedFile {
  readonly path: string | null;
  readonly dialect: string | null;
  readonly servers: readonly FileServer[];
  readonly warnings: readonly FileNote[];
  /** Why nothing of it was read. */
  readonly error?: {
    readonly reason: string;
    readonly message: string;
    readonly line?: number;
    readonly column?: number;
  };
}

/** A server on its way, until it is known what becomes of it. */
interface Draft {
  readonly foreign: ForeignServer;
  readonly config: MCPServerConfig;
  readonly enabled: boolean;
  readonly notes: FileNote[];
  readonly needs: readonly NeededSecret[];
  /** Undefined where it is skipped. */
  read: ReadServer | undefined;
}

interface FileDraft {
  readonly path: string | undefined;
  readonly read: ForeignFile;
  readonly drafts: readonly Draft[];
}

/**
 * Saves the servers of other clients' files in one transaction (R22). What several files have alike is saved once, a file
 * that cannot be read costs no other file anything, and one bad entry no other entry. What is saved just so already is
 * left alone. Rejects only where nothing could be saved for a reason of ours.
 */
export async function importFiles(
  book: SavedBook,
  who: Actor,
  files: readonly FileToImport[],
  options: ImportFilesOptions,
): Promise<readonly ImportedFile[]> {
  const read = files.map(file => readFile(file, options));
  const drafts = read.flatMap(file =>
    'drafts' in file ? file.drafts.map(draft => ({ draft, dialect: file.read.dialect })) : [],
  );
  for (const { draft } of drafts) check(book, draft);
  mergeEqual(drafts, options.prefer);
  const wanted = drafts.flatMap(({ draft }) => draft.read ?? []);
  const { outcomes, skipped } =
    wanted.length === 0
      ? { outcomes: [], skipped: [] }
      : await saveServers(book, who, { servers: wanted, skipped: [] }, options.dryRun);
  if (!options.dryRun) await remember(book, who, drafts, outcomes);
  const byRead = new Map(outcomes.map(outcome => [outcome.read, outcome]));
  return read.map(file => {
    if (!('drafts' in file)) return file;
    const { path, read: foreign, drafts: own } = file;
    const servers = own.map(draft => fileServer(draft, draft.read && byRead.get(draft.read), skipped));
    const rejected = foreign.warnings.filter(({ code }) => code.startsWith('rejected-')).map(rejectedServer);
    const warnings = foreign.warnings.filter(({ server }) => server === undefined).map(noteOf);
    return { path: path ?? null, dialect: foreign.dialect, servers: [...servers, ...rejected], warnings };
  });
}

/** Which client had which server, and how all this is undone. */
async function remember(
  book: SavedBook,
  who: Actor,
  drafts: readonly { readonly draft: Draft; readonly dialect: string }[],
  outcomes: readonly ImportOutcome[],
): Promise<void> {
  const { imports } = book.needs;
  const ids = new Map(outcomes.map(({ name, serverId }) => [name, serverId]));
  for (const { draft, dialect } of drafts) {
    const serverId = ids.get(draft.config.name);
    const isTaken = draft.read !== undefined || draft.notes.some(({ code }) => code === 'merged');
    if (serverId !== undefined && isTaken) await imports.remember(who.agentId, dialect, [serverId]);
  }
  const done = outcomes.flatMap(({ action, before, after }) => (after ? [{ action, before, after }] : []));
  if (done.length === 0) return;
  await imports.setLast(who.agentId, {
    created: done.flatMap(({ before, after: { serverId, updatedAt } }) => (before ? [] : [{ serverId, updatedAt }])),
    updated: done.flatMap(({ before, after: { updatedAt } }) => (before ? [{ before, updatedAt }] : [])),
  });
}

function readFile(
  { path, text, from }: FileToImport,
  { platform, home }: ImportFilesOptions,
): FileDraft | ImportedFile {
  try {
    const read = readForeignFile({ text, ...(path !== undefined && { path }), ...(from !== undefined && { from }) });
    const folder = path !== undefined && isAbsolute(path) ? ownerFolder(path, platform) : undefined;
    const ground = { platform, home, folder, inputs: read.inputs };
    const drafts = read.servers.map((foreign): Draft => {
      const { config, enabled, notes, needs } = settle(foreign, ground);
      const own = read.warnings.filter(({ server }) => server === foreign.shortName).map(noteOf);
      const settled = notes.map(({ code, message }) => ({ code, message }));
      return {
        foreign,
        config,
        enabled,
        notes: [...own, ...settled, ...needs.map(neededNote)],
        needs,
        read: undefined,
      };
    });
    return { path, read, drafts };
  } catch (error) {
    if (!(error instanceof LongshoreError) || error.code === 'usage') throw error;
    const { reason, line, column } = error.data ?? {};
    const at = typeof line === 'number' && typeof column === 'number' ? { line, column } : {};
    const why = typeof reason === 'string' ? reason : error.code;
    return {
      path: path ?? null,
      dialect: null,
      servers: [],
      warnings: [],
      error: { reason: why, message: error.message, ...at },
    };
  }
}

/** Whether it can be saved as it is; a secret in its command line turns it off, so that a person decides. */
function check(book: SavedBook, draft: Draft): void {
  const { foreign, config } = draft;
  if (isOwnEntry(config)) return void draft.notes.push(noteOf({ code: 'own-entry' }));
  try {
    const planned = plan(config);
    const allowSecretArguments = hasSecretArgument(book, planned);
    if (allowSecretArguments) {
      book.secrets.check(planned, true);
      draft.notes.push(noteOf({ code: 'secret-argument' }));
    }
    const notes = draft.notes.map(({ code, message, field }) => ({
      code,
      message,
      ...(field !== undefined && { data: { field } }),
    }));
    const { place } = foreign;
    draft.read = { place, planned, enabled: draft.enabled && !allowSecretArguments, allowSecretArguments, notes };
  } catch (error) {
    if (!(error instanceof LongshoreError)) throw error;
    draft.notes.push({ code: 'refused', message: error.message });
  }
}

function hasSecretArgument(book: SavedBook, planned: PlannedServer): boolean {
  try {
    book.secrets.check(planned, false);
    return false;
  } catch {
    return true;
  }
}

/** One server in three clients is one server; of two that only share a name, one is left out and told. */
function mergeEqual(
  drafts: readonly { readonly draft: Draft; readonly dialect: string }[],
  prefer: string | undefined,
): void {
  const inOrder =
    prefer === undefined
      ? drafts
      : [...drafts].sort((a, b) => Number(b.dialect === prefer) - Number(a.dialect === prefer));
  const seen = new Map<string, Draft>();
  for (const { draft } of inOrder) {
    if (!draft.read) continue;
    const before = seen.get(draft.config.name);
    if (before === undefined) seen.set(draft.config.name, draft);
    else {
      const isSame = startOf(before) === startOf(draft);
      draft.notes.push(noteOf({ code: isSame ? 'merged' : 'conflict' }));
      draft.read = undefined;
    }
  }
}

function startOf({ config }: Draft): string {
  return canonicalJson({ ...config, name: '', description: '' } as unknown as JsonObject);
}

function fileServer(
  draft: Draft,
  outcome: ImportOutcome | undefined,
  skipped: readonly { readonly reason: string }[],
): FileServer {
  const { foreign, config, read, notes, needs } = draft;
  const isLost = read !== undefined && outcome === undefined;
  const why = isLost ? [{ code: 'refused', message: skipped[0]?.reason ?? 'It could not be saved.' }] : [];
  return {
    name: config.name,
    key: outcome?.key ?? read?.planned.wantedKey ?? foreign.shortName,
    action: outcome?.action ?? (notes.some(({ code }) => code === 'merged') ? 'same' : 'skip'),
    enabled: read?.enabled ?? draft.enabled,
    config: withMaskedSecrets(config) as unknown as JsonObject,
    warnings: [...notes, ...why],
    needs,
  };
}

function rejectedServer(warning: ImportWarning): FileServer {
  const name = warning.server ?? '';
  const key = name.replaceAll(/[^A-Za-z0-9_-]+/g, '-') as ServerKey;
  return { name, key, action: 'skip', enabled: false, config: {}, warnings: [noteOf(warning)], needs: [] };
}

function noteOf({ code, field }: ImportWarning): FileNote {
  return { code, message: warningTexts[code] ?? code, ...(field !== undefined && { field }) };
}

function neededNote({ name }: NeededSecret): FileNote {
  return { code: 'needs-secret', message: `It needs a secret. To set it: longshore secret set ${name}`, field: name };
}
