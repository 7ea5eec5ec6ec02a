import { z } from '@hono/zod-openapi';
import { handleKinds } from '../core/words.ts';
import { instant, type Json, type JsonInput, jsonValue, maybe, rawResult, wholeNumber } from './json.ts';
import type { RouteTable } from './route.ts';

/** What an approval may give: one call, a session, or a rule. */
export const approvalScope = z.enum(['once', 'session', 'always']);
export type Scope = z.output<typeof approvalScope>;

/** How an approval stands. */
export const approvalState = z.enum([
  'pending',
  'awaiter-gone',
  'approved',
  'rejected',
  'expired',
  'cancelled',
  'invalidated',
]);

/** A question to the operator, open or ended. */
export const approvalSchema = z
  .object({
    id: z.string(),
    agentId: z.string(),
    /** `operator`, `library` or `client:<name>`. */
    caller: z.string(),
    server: z.string(),
    handleName: z.string(),
    kind: z.enum(handleKinds),
    /** The server's own name of the tool; null for a question of an earlier run. */
    tool: z.string().nullable(),
    /** The arguments as JSON text: known secrets by their names, what merely looks like one folded. */
    args: z.string(),
    /** How much of the arguments is not in that text. */
    unseen: z.object({ folded: z.int(), cut: z.int() }),
    /** Why it is asked; null for a question of an earlier run. */
    because: z.string().nullable(),
    /** What of the arguments does not fit the tool's own schema; the server decides about it. */
    misfits: z.array(z.string()),
    /** What the client sends beside the arguments in `_meta`, as JSON text, masked like them; null if nothing. */
    meta: z.string().nullable(),
    /** What changed in the definition since it was allowed. */
    changed: z.array(z.object({ path: z.string(), before: maybe(jsonValue), after: maybe(jsonValue) })),
    /** What an approval may reach. */
    scopes: z.array(approvalScope),
    state: approvalState,
    scope: approvalScope.nullable(),
    /** Of a rejection, a cancellation or an invalidation. */
    reason: z.string().nullable(),
    /** The channel through which the operator decided. */
    decidedBy: z.string().nullable(),
    createdAt: instant,
    expiresAt: instant,
    /** How the call ended, once it ran; only from GET /api/approvals/:id. */
    outcome: maybe(z.object({ status: z.string(), message: z.string().nullable(), result: maybe(rawResult) })),
  })
  .openapi('Approval');
export type ApprovalView = Json<typeof approvalSchema>;

const decision = z
  .union([
    z.strictObject({ approve: z.literal(true), scope: maybe(approvalScope) }),
    z.strictObject({ approve: z.literal(false), reason: maybe(z.string().max(1_000)) }),
  ])
  .openapi('Decision');
export type DecideRequest = JsonInput<typeof decision>;

const byId = z.object({ id: z.string().min(1).max(100) });

/** The questions to the operator, and the answers. Fails with 404 `unknown-approval`, 409 `approval-closed`. */
export const approvalRoutes = {
  'GET /api/approvals': {
    summary: 'The questions that wait for a decision, oldest first; with state=all those that ended too, newest first',
    query: z.object({
      state: z.enum(['open', 'all']).default('open'),
      limit: wholeNumber(1, 1_000).default(100),
    }),
    answer: z.array(approvalSchema),
  },
  'GET /api/approvals/:id': {
    summary: 'One question: where it stands, and how its call ended once it ran',
    params: byId,
    answer: approvalSchema,
  },
  'POST /api/approvals/:id': {
    summary: 'Approve or reject; the first decision wins',
    params: byId,
    body: decision,
    answer: approvalSchema,
  },
  'POST /api/approvals/:id/open': {
    summary: 'All of the arguments of an open question, with what looks like a secret; recorded',
    params: byId,
    answer: z.object({ args: z.string() }).openapi('OpenedArguments'),
  },
} as const satisfies RouteTable;
