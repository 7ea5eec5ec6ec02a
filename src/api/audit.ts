import { z } from '@hono/zod-openapi';
import { instant, type Json, wholeNumber } from './json.ts';
import type { RouteTable } from './route.ts';

const text = z.string().nullable();

/** One row of the record, as stored and hashed; masked. */
const auditRow = z
  .object({
    seq: z.int(),
    at: instant,
    kind: z.string(),
    dispatch_id: text,
    agent_id: text,
    caller: text,
    owner_key: text,
    handle_name: text,
    handle_kind: text,
    wire_name: text,
    epoch: text,
    protocol_version: text,
    definition_digest: text,
    args_digest: text,
    args: text,
    decision: text,
    rule_id: text,
    approval_id: text,
    action: text,
    subject: text,
    status: text,
    message: text,
    latency_ms: z.number().nullable(),
    result_size: z.number().nullable(),
    prev: z.string(),
    hash: z.string(),
  })
  .openapi('AuditRow');
export type AuditRowView = Json<typeof auditRow>;
export type AuditAnswer = readonly AuditRowView[];

const verified = z
  .object({
    ok: z.boolean(),
    rows: z.int(),
    problems: z.array(z.object({ seq: z.int(), problem: z.string(), message: z.string() })),
  })
  .openapi('AuditVerified');
export type AuditVerifyAnswer = Json<typeof verified>;

/** Which rows: `since` in milliseconds. */
export const auditFilter = z.object({
  handle: z.string().min(1).max(200).optional(),
  decision: z.string().min(1).max(100).optional(),
  since: wholeNumber(0).optional(),
});

const seq = wholeNumber(0).optional();

/** The record, of all agents and the home itself, or with `?agent=` of one agent. */
export const auditRoutes = {
  'GET /api/audit': {
    summary: 'Rows of the record, of all agents or of one',
    query: auditFilter.extend({
      after: seq,
      before: seq,
      limit: wholeNumber(1, 1_000).default(100),
      order: z.enum(['newest-first', 'oldest-first']).default('newest-first'),
    }),
    answer: z.array(auditRow),
  },
  'GET /api/audit/verify': {
    summary: 'Check the whole record against its chain and its signed checkpoint',
    answer: verified,
  },
} as const satisfies RouteTable;
