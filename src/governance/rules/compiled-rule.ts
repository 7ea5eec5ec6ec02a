import type { JsonValue } from '../../core/json.ts';
import type { Caller, Handle, HandleKind } from '../../core/words.ts';
import { type Level, levels } from '../../core/words.ts';
import { conditionHolds } from './argument-condition.ts';
import { globMatches } from './glob.ts';
import { type Pin, type Rule } from './rule.ts';
import { parsePattern, type RulePattern, type Target } from './rule-pattern.ts';
import { isPinnedTo } from './rule-pin.ts';
import { fullEffort } from './text-comparison.ts';
import { allOf, asTruth, type Truth } from './truth.ts';
import { uriMatches } from './uri-match.ts';

/** A rule made ready to decide. */
export interface CompiledRule {
  readonly rule: Rule;
  /** The rule's own level, or `deny` where the rule cannot be read. */
  readonly level: Level;
  /** Why it cannot be read; it then denies whatever it may have been about. */
  readonly unreadable: string | undefined;
  /** Whether it is about this handle and caller at all, whatever the arguments. */
  covers(handle: Handle, caller: Caller): boolean;
  /** False for a permission pinned to another definition or program than the handle has now (R42). */
  isCurrent(handle: Handle): boolean;
  /** Whether it speaks about a call with these arguments. */
  applies(args: JsonValue | undefined): boolean;
  /** True if it speaks whatever the arguments are. */
  readonly unconditional: boolean;
  /** Higher numbers first, compared from left to right: the more specific rule is the greater. */
  readonly specificity: readonly number[];
}

/** Reads a rule once, when rules change, so that calls need not. */
export function compileRule(rule: Rule): CompiledRule {
  const parsed = parsePattern(rule.pattern);
  const level = levels.find(known => known === rule.level);
  const problem = level === undefined ? `${JSON.stringify(rule.level)} is no level` : undefined;
  const isAgents = (handle: Handle) => rule.agentId === null || rule.agentId === handle.agentId;
  if (level === undefined || !('pattern' in parsed)) {
    const reach = 'pattern' in parsed ? parsed.pattern : parsed;
    return {
      rule,
      level: 'deny',
      unreadable: problem ?? ('problem' in parsed ? parsed.problem : undefined),
      covers: handle =>
        isAgents(handle) &&
        isOfKind(handle, reach.kind) &&
        (reach.target === undefined || targetTruth(reach.target, handle) !== 'no'),
      isCurrent: () => true,
      applies: () => true,
      unconditional: true,
      specificity: [],
    };
  }
  const { pattern } = parsed;
  const { pin } = rule;
  return {
    rule,
    level,
    unreadable: undefined,
    covers: (handle, caller) =>
      isAgents(handle) &&
      patternCovers(pattern, level, handle, caller) &&
      (pin === null || pinCovers(pin, handle, caller)),
    isCurrent: handle => level === 'deny' || pin === null || isPinnedTo(pin, handle),
    applies: args => speaks(level, conditionsHold(pattern, args)),
    unconditional: pattern.conditions.length === 0,
    specificity: specificityOf(rule, level, pattern),
  };
}

/** What is unclear satisfies a rule that holds calls back, and never one that lets them pass. */
function speaks(level: Level, truth: Truth): boolean {
  return level === 'allow' ? truth === 'yes' : truth !== 'no';
}

function conditionsHold({ conditions }: RulePattern, args: JsonValue | undefined): Truth {
  if (conditions.length === 0) return 'yes';
  const effort = fullEffort();
  return allOf(conditions.map(condition => conditionHolds(condition, args, effort)));
}

function patternCovers(pattern: RulePattern, level: Level, handle: Handle, caller: Caller): boolean {
  return (
    (pattern.agent === undefined || globMatches(pattern.agent, handle.agentId)) &&
    (pattern.caller === undefined || globMatches(pattern.caller, caller)) &&
    isOfKind(handle, pattern.kind) &&
    speaks(level, targetTruth(pattern.target, handle))
  );
}

/** Whether a handle is clearly of the kind and of the names that a pattern is about, whoever calls it with whatever. */
export function patternReaches({ kind, target }: Pick<RulePattern, 'kind' | 'target'>, handle: Handle): boolean {
  return isOfKind(handle, kind) && targetTruth(target, handle) === 'yes';
}

/** Whoever speaks of resources means those of templates too. */
function isOfKind(handle: Handle, kind: HandleKind | undefined): boolean {
  return kind === undefined || kind === handle.kind || (kind === 'resource' && handle.kind === 'template');
}

/** Exactly, because the pattern's text could mean more: a caller or tool may have `*` in its name. */
function pinCovers(pin: Pin, handle: Handle, caller: Caller): boolean {
  return (
    pin.ownerKey === handle.ownerKey &&
    pin.handleName === handle.handleName &&
    pin.kind === handle.kind &&
    (pin.caller === null || pin.caller === caller)
  );
}

/** A URI is read in every way that a server may read it; where they disagree, it is unclear. */
function targetTruth(target: Target, handle: Handle): Truth {
  if (target.by === 'handle-name') return asTruth(globMatches(target.handleName, handle.handleName));
  if (!globMatches(target.server, handle.ownerKey)) return 'no';
  const isUri = handle.kind === 'resource' || handle.kind === 'template';
  return isUri ? uriMatches(target.tool, handle) : asTruth(globMatches(target.tool, handle.wireName));
}

/** Handle, then owner, then class; session before persistent at the same; then the narrower text. */
function specificityOf(rule: Rule, level: Level, pattern: RulePattern): readonly number[] {
  return [
    scope(pattern.target),
    rule.lifetime === 'session' ? 1 : 0,
    pattern.conditions.length,
    fixedCharacters(pattern.target),
    pattern.kind === undefined ? 0 : 1,
    pattern.caller?.fixed ?? 0,
    pattern.agent?.fixed ?? (rule.agentId === null ? 0 : 1),
    level === 'allow' ? 0 : 1,
    rule.createdAt,
  ];
}

function scope(target: Target): number {
  if (target.by === 'handle-name') return target.handleName.exact ? 3 : 1;
  if (!target.server.exact) return 1;
  return target.tool.exact ? 3 : 2;
}

function fixedCharacters(target: Target): number {
  return target.by === 'handle-name' ? target.handleName.fixed : target.server.fixed + target.tool.fixed;
}
