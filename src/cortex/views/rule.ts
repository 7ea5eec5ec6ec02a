import { z } from '@hono/zod-openapi';
import type { RuleView as RuleAnswer, WhyAnswer } from '../../client/api-types.ts';
import type { Rule } from '../../governance/rules/rule.ts';
import type { RuleView } from '../../governance/rules/rules.ts';
import { instant } from './common.ts';

export const ruleSchema = z
  .object({
    id: z.string(),
    agentId: z.string().nullable(),
    level: z.string(),
    pattern: z.string(),
    lifetime: z.enum(['persistent', 'session']),
    source: z.enum(['operator', 'approval', 'host']),
    reason: z.string().nullable(),
    pinned: z.boolean(),
    state: z.enum(['active', 'schema-changed', 'unreadable']),
    problem: z.string().nullable(),
    createdAt: instant,
  })
  .openapi('Rule') satisfies z.ZodType<RuleAnswer>;

export const whySchema = z
  .object({
    tool: z.string(),
    level: z.string(),
    because: z.string(),
    rule: z.union([ruleSchema, z.null()]),
    beat: z.union([ruleSchema, z.null()]),
    changed: z.union([ruleSchema, z.null()]),
  })
  .openapi('Why') satisfies z.ZodType<WhyAnswer>;

/** A rule, with whether it works. */
export function ruleView(rule: Rule & Partial<Pick<RuleView, 'state' | 'problem'>>): RuleAnswer {
  const { id, agentId, level, pattern, lifetime, source, reason, pin, createdAt, state = 'active', problem } = rule;
  return {
    id,
    agentId,
    level,
    pattern,
    lifetime,
    source,
    reason,
    pinned: pin !== null,
    state,
    problem: problem ?? null,
    createdAt,
  };
}
