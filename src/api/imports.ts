import { z } from '@hono/zod-openapi';
import { type Json, type JsonInput, jsonObject, maybe } from './json.ts';
import type { RouteTable } from './route.ts';

const importRequest = z
  .object({
    /** Files as they are on this machine; `path` is absolute and tells the format, unless `from` names it. */
    files: z
      .array(z.object({ path: maybe(z.string().max(4_096)), text: z.string(), from: maybe(z.string().max(40)) }))
      .max(200),
    dryRun: z.boolean().default(false),
    /** The home that `~` means; the service's own if not said. */
    home: maybe(z.string().max(4_096)),
    /** Of two different servers of one name: the format whose file counts. */
    prefer: maybe(z.string().max(40)),
  })
  .openapi('ImportFiles');
export type ImportFilesRequest = JsonInput<typeof importRequest>;

const note = z.object({ code: z.string(), message: z.string(), field: maybe(z.string()) });

const fileServer = z
  .object({
    name: z.string(),
    /** The server key. */
    key: z.string(),
    action: z.enum(['add', 'update', 'same', 'skip']),
    enabled: z.boolean(),
    /** Secrets in clear are `«secret»`. */
    config: jsonObject,
    warnings: z.array(note),
    /** Secrets that it needs and that nobody has given yet, and what to ask for. */
    needs: z.array(z.object({ name: z.string(), prompt: z.string() })),
  })
  .openapi('ImportedFileServer');
export type ImportedFileServer = Json<typeof fileServer>;

const importedFile = z
  .object({
    path: z.string().nullable(),
    dialect: z.string().nullable(),
    servers: z.array(fileServer),
    warnings: z.array(note),
    error: maybe(z.object({ reason: z.string(), message: z.string(), line: maybe(z.int()), column: maybe(z.int()) })),
  })
  .openapi('ImportedFile');
export type ImportedFileView = Json<typeof importedFile>;

const importedFiles = z.object({ files: z.array(importedFile) }).openapi('ImportedFiles');
export type ImportFilesAnswer = Json<typeof importedFiles>;

const names = z.array(z.string());

const undone = z
  .object({
    removed: names,
    restored: names,
    /** Changed or removed since, and left as they are. */
    left: names,
  })
  .openapi('UndoneImport');
export type UndoImportAnswer = Json<typeof undone>;

const importedFrom = z.object({ clients: z.record(z.string(), names) }).openapi('ImportedFrom');
export type ImportedFromAnswer = Json<typeof importedFrom>;

/** Files of other clients, taken over in one transaction (R22). */
export const importRoutes = {
  'POST /api/imports': {
    summary: "Save the servers of other clients' files, in one transaction",
    body: importRequest,
    answer: importedFiles,
  },
  'GET /api/imports': {
    summary: 'By client, the keys of the servers that its file had when it was imported',
    answer: importedFrom,
  },
  'DELETE /api/imports/last': {
    summary: 'Undo the last import of files: what it added is removed, what it changed is as before',
    answer: undone,
  },
} as const satisfies RouteTable;
