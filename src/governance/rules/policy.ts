import { ownServerKey, type RuleId } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Caller, Handle, Level } from '../../core/words.ts';
import { type CompiledRule, compileRule } from './compiled-rule.ts';
import type { Rule } from './rule.ts';

/** What the rules say about one call. */
export interface Decision {
  readonly level: Level;
  /** The rule that decided; `undefined` where none speaks and the default holds. */
  readonly rule: Rule | undefined;
  /** A permission that would have held, had the tool's definition not changed since it was given (R42). */
  readonly changed: Rule | undefined;
}

/** The same in words, with what it won against. */
export interface Explanation extends Decision {
  /** The rule that would decide if the deciding one were not there. */
  readonly beat: Rule | undefined;
  /** One or two sentences for a person. */
  readonly because: string;
}

/** All rules at one moment. Pure: the same rules, handle, caller and arguments give the same decision. */
export interface Policy {
  /** Any deny that applies wins; then always-ask; then the most specific, session before persistent; then the default. */
  decide(handle: Handle, caller: Caller, args: JsonValue | undefined): Decision;
  explain(handle: Handle, caller: Caller, args: JsonValue | undefined): Explanation;
  /** True if no arguments whatever would let this caller's call pass, or be asked about. Remembered per handle. */
  forbids(handle: Handle, caller: Caller): boolean;
  /** Rules that cannot be read, and why; each denies whatever it may be about. */
  readonly unreadable: readonly { readonly rule: Rule; readonly problem: string }[];
}

/** Nobody's rule, and nobody's to remove: what changes which servers there are is asked about every time. */
const managing: Rule = {
  id: 'managing-servers' as RuleId,
  agentId: null,
  level: 'always-ask',
  pattern: `${ownServerKey}.*`,
  pin: null,
  lifetime: 'persistent',
  source: 'host',
  reason: 'Longshore asks about managing servers every time, whatever is allowed',
  createdAt: 0,
};

/** Compiles rules. `otherwise` is the level where none applies. */
export function compilePolicy(rules: readonly Rule[], otherwise: Level = 'ask'): Policy {
  const compiled = [...rules, managing].map(compileRule).sort(byPrecedence);
  const covering = new WeakMap<Handle, Map<Caller, Covering>>();

  function coveringOf(handle: Handle, caller: Caller): Covering {
    let byCaller = covering.get(handle);
    if (byCaller === undefined) {
      byCaller = new Map();
      covering.set(handle, byCaller);
    }
    let found = byCaller.get(caller);
    if (found === undefined) {
      const rules = compiled.filter(rule => rule.covers(handle, caller));
      found = { rules, forbidden: isForbidden(rules, handle, otherwise) };
      byCaller.set(caller, found);
    }
    return found;
  }

  const candidates = (handle: Handle, caller: Caller) => coveringOf(handle, caller).rules;

  /** A permission that does not hold any more, for what only it would have let pass. */
  function changedSince(covers: readonly CompiledRule[], handle: Handle, args: JsonValue | undefined) {
    return covers.find(rule => !rule.isCurrent(handle) && rule.applies(args))?.rule;
  }

  return {
    decide(handle, caller, args) {
      const covers = candidates(handle, caller);
      const first = covers.find(rule => rule.isCurrent(handle) && rule.applies(args));
      return { level: first?.level ?? otherwise, rule: first?.rule, changed: changedSince(covers, handle, args) };
    },
    explain(handle, caller, args) {
      const covers = candidates(handle, caller);
      const [first, second] = covers.filter(rule => rule.isCurrent(handle) && rule.applies(args));
      const changed = changedSince(covers, handle, args);
      const because = [
        first ? sentence(first) : `No rule speaks about this call, and then the level is ${otherwise}.`,
        second ? `It beat ${quote(second.rule)}: ${whyItWon(first, second)}.` : '',
        changed
          ? `${quote(changed)} is inert: the tool's definition changed since it was allowed (schema-changed).`
          : '',
      ];
      return {
        level: first?.level ?? otherwise,
        rule: first?.rule,
        changed,
        beat: second?.rule,
        because: because.filter(text => text !== '').join(' '),
      };
    },
    forbids: (handle, caller) => coveringOf(handle, caller).forbidden,
    unreadable: compiled.flatMap(({ rule, unreadable }) =>
      unreadable === undefined ? [] : [{ rule, problem: unreadable }],
    ),
  };
}

/** The rules about one caller's calls of one handle, by precedence. */
interface Covering {
  readonly rules: readonly CompiledRule[];
  readonly forbidden: boolean;
}

function isForbidden(rules: readonly CompiledRule[], handle: Handle, otherwise: Level): boolean {
  const current = rules.filter(rule => rule.isCurrent(handle));
  if (current.some(rule => rule.level === 'deny' && rule.unconditional)) return true;
  return otherwise === 'deny' && current.every(rule => rule.level === 'deny');
}

function byPrecedence(a: CompiledRule, b: CompiledRule): number {
  const closed = closedness(b) - closedness(a);
  if (closed !== 0) return closed;
  for (let index = 0; index < Math.max(a.specificity.length, b.specificity.length); index += 1) {
    const difference = (b.specificity[index] ?? 0) - (a.specificity[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.rule.id < b.rule.id ? -1 : 1;
}

function closedness({ level }: CompiledRule): number {
  if (level === 'deny') return 2;
  return level === 'always-ask' ? 1 : 0;
}

function sentence({ rule, level, unreadable }: CompiledRule): string {
  const reason = rule.reason === null ? '' : ` (${rule.reason})`;
  if (unreadable !== undefined) return `The rule ${quote(rule)} cannot be read (${unreadable}), so it denies.`;
  return `The rule ${quote(rule)} says ${level}${reason}.`;
}

function whyItWon(first: CompiledRule | undefined, second: CompiledRule): string {
  if (first?.level === 'deny') return second.level === 'deny' ? 'either denies' : 'a deny always wins';
  if (first?.level === 'always-ask') return 'always-ask wins over every permission';
  if (first?.specificity[0] !== second.specificity[0]) return 'it is about fewer handles';
  if (first?.rule.lifetime !== second.rule.lifetime)
    return 'a permission for this session comes before a standing rule';
  return 'it is the more specific';
}

function quote(rule: Rule): string {
  return `${rule.level} ${rule.pattern}`;
}
