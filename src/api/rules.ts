import { z } from '@hono/zod-openapi';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { levels } from '../core/words.ts';
import { doneSchema, instant, type Json, type JsonInput, maybe } from './json.ts';
import type { RouteTable } from './route.ts';

/** What a rule says; any matching `deny` wins, then `always-ask`, then the most specific. */
const levelSchema = z.enum(levels);

/** A standing decision. */
export const ruleSchema = z
  .object({
    id: z.string(),
    /** Null: for every agent. */
    agentId: z.string().nullable(),
    level: z.string(),
    pattern: z.string(),
    lifetime: z.enum(['persistent', 'session']),
    source: z.enum(['operator', 'approval', 'host']),
    reason: z.string().nullable(),
    /** True if it is about one definition of a tool. */
    pinned: z.boolean(),
    state: z.enum(['active', 'schema-changed', 'unreadable']),
    problem: z.string().nullable(),
    createdAt: instant,
  })
  .openapi('Rule');
export type RuleView = Json<typeof ruleSchema>;

const newRule = z
  .object({
    level: levelSchema,
    pattern: z.string().min(1).max(2_000),
    reason: maybe(z.string().max(1_000)),
  })
  .openapi('NewRule');
export type PutRuleRequest = JsonInput<typeof newRule>;

const why = z
  .object({
    tool: z.string(),
    level: z.string(),
    because: z.string(),
    rule: z.union([ruleSchema, z.null()]),
    beat: z.union([ruleSchema, z.null()]),
    /** A permission that is inert because the definition changed. */
    changed: z.union([ruleSchema, z.null()]),
  })
  .openapi('Why');
export type WhyAnswer = Json<typeof why>;

/** Arguments as JSON text; `{}` if there are none. The client writes an object as such a text by itself. */
const argumentsText = z
  .string()
  .max(65_536)
  .default('{}')
  .transform((text, context): JsonObject => {
    try {
      const value: unknown = JSON.parse(text);
      if (isJsonObject(value)) return value;
    } catch {
      // Told below: the parser's own words would repeat the text.
    }
    context.addIssue('must be a JSON object');
    return z.NEVER;
  }) as unknown as z.ZodDefault<z.ZodType<JsonObject, JsonObject>>;

const callerText = z
  .string()
  .regex(/^(operator|library|client:[A-Za-z0-9][A-Za-z0-9_.-]{0,63})$/, 'must be operator, library or client:NAME')
  .default('operator');

/** Standing decisions, and which one decides. Fails with 404 `unknown-rule`. */
export const ruleRoutes = {
  'GET /api/rules': { summary: "An agent's rules and those for every agent", answer: z.array(ruleSchema) },
  'PUT /api/rules': {
    summary: 'Add a rule, in the place of one with the same pattern',
    body: newRule,
    answer: ruleSchema,
  },
  'DELETE /api/rules/:id': {
    summary: 'Remove a rule',
    params: z.object({ id: z.string().min(1).max(100) }),
    answer: doneSchema,
  },
  'GET /api/rules/why': {
    summary: 'Which rule decides about a call, and which one it beat; calls nothing',
    query: z.object({ tool: z.string().min(1).max(300), args: argumentsText, caller: callerText }),
    answer: why,
  },
} as const satisfies RouteTable;
