import type { RuleView as RuleAnswer } from '../../api/rules.ts';
import type { Rule } from '../../governance/rules/rule.ts';
import type { RuleView } from '../../governance/rules/rules.ts';

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
