import { z } from '@hono/zod-openapi';
import { errorCodes, type Json, type JsonInput, jsonObject, maybe } from './json.ts';
import type { RouteTable } from './route.ts';

const commandLine = z.object({ line: z.string().max(10_000) }).openapi('CommandLine');
export type CommandRequest = JsonInput<typeof commandLine>;

const commandResult = z
  .object({
    status: z.enum(['ok', 'partial', 'error']),
    confirmation: maybe(z.string()),
    error: maybe(z.string()),
    code: maybe(z.enum(errorCodes)),
    data: maybe(jsonObject),
  })
  .openapi('CommandResult');
export type CommandAnswer = Json<typeof commandResult>;

/** The operator's lines (R28): 200 with the envelope, whatever its status. */
export const commandRoutes = {
  'POST /api/commands': {
    summary: 'Run one line with a !mcp- verb; the result says how it went',
    body: commandLine,
    answer: commandResult,
  },
} as const satisfies RouteTable;
