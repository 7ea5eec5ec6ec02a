import { z } from '@hono/zod-openapi';
import type { RuleId } from '../../core/ids.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { Caller } from '../../core/words.ts';
import { levels } from '../../governance/rules/rule.ts';
import type { AddRoute } from '../route-maker.ts';
import { doneSchema, maybe } from '../views/common.ts';
import { ruleSchema, ruleView, whySchema } from '../views/rule.ts';

const rule = z
  .object({
    level: z.enum(levels),
    pattern: z.string().min(1).max(2_000),
    reason: maybe(z.string().max(1_000)),
  })
  .openapi('NewRule');

/** Arguments as JSON text; `{}` if there are none. */
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
  });

const callerText = z
  .string()
  .regex(/^(operator|library|client:[A-Za-z0-9][A-Za-z0-9_.-]{0,63})$/, 'must be operator, library or client:NAME')
  .default('operator');

/** Standing decisions, and which one decides. */
export function ruleRoutes(on: AddRoute): void {
  on(
    'GET /api/rules',
    { summary: "An agent's rules and those for every agent", answer: z.array(ruleSchema) },
    async ({ operator }) => (await operator()).rules.list().map(ruleView),
  );
  on(
    'PUT /api/rules',
    { summary: 'Add a rule, in the place of one with the same pattern', body: rule, answer: ruleSchema },
    async ({ operator, body }) => ruleView(await (await operator()).rules.add(body)),
  );
  on(
    'DELETE /api/rules/:id',
    { summary: 'Remove a rule', params: z.object({ id: z.string().min(1).max(100) }), answer: doneSchema },
    async ({ operator, params }) => {
      await (await operator()).rules.remove(params.id as RuleId);
      return { ok: true };
    },
  );
  on(
    'GET /api/rules/why',
    {
      summary: 'Which rule decides about a call, and which one it beat; calls nothing',
      query: z.object({ tool: z.string().min(1).max(300), args: argumentsText, caller: callerText }),
      answer: whySchema,
    },
    async ({ operator, query: { tool, args, caller }, signal }) => {
      const asked = await operator();
      const handle = await asked.tools.named(tool, signal);
      const { level, because, rule: decides, beat, changed } = asked.rules.why(handle, args, caller as Caller);
      return {
        tool: handle.handleName,
        level,
        because,
        rule: decides ? ruleView(decides) : null,
        beat: beat ? ruleView(beat) : null,
        changed: changed ? ruleView(changed) : null,
      };
    },
  );
}
