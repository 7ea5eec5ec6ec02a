import type { CallerScope } from '../../core/caller-scope.ts';
import { LongshoreError } from '../../core/errors.ts';
import { ownServerKey } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Caller, Handle } from '../../core/words.ts';
import { patternReaches } from '../rules/compiled-rule.ts';
import type { Policy } from '../rules/policy.ts';
import { parsePattern, type RulePattern, readPattern } from '../rules/rule-pattern.ts';

/** A scope made ready to decide about many handles. */
interface CompiledScope {
  sees(handle: Handle): boolean;
  lists(handle: Handle): boolean;
}

/** Scopes are values; whoever changes one makes a new one. */
const compiled = new WeakMap<CallerScope, CompiledScope>();

/** Whether a caller of that scope may know of a handle at all. Pure; what of a scope cannot be read lets nothing pass. */
export function seesHandle(scope: CallerScope, handle: Handle): boolean {
  return compiledScope(scope).sees(handle);
}

/** Whether a list shows a handle before the caller has searched for it. Says nothing about whether it is seen at all. */
export function isListed(scope: CallerScope, handle: Handle): boolean {
  return compiledScope(scope).lists(handle);
}

/**
 * Whether a caller must not know of a handle: it is out of its scope, or no call of it could ever pass the rules.
 * Without a scope everything is in it but managing servers. Cheap: patterns are read once, and the rules about one handle
 * and caller found once.
 */
export function isHidden(handle: Handle, caller: Caller, scope: CallerScope | undefined, policy: Policy): boolean {
  return !isInScope(handle, scope) || policy.forbids(handle, caller);
}

/** Whether a scope reaches a handle; without one, everything but managing servers is in it. */
export function isInScope(handle: Handle, scope: CallerScope | undefined): boolean {
  return scope === undefined ? handle.ownerKey !== ownServerKey : seesHandle(scope, handle);
}

/** Whether a tool says of itself that it only reads. Resources and prompts are only read. */
export function isReadOnly({ kind, definition }: Pick<Handle, 'kind' | 'definition'>): boolean {
  if (kind !== 'tool') return true;
  const { annotations } = definition;
  return isJsonObject(annotations) && annotations['readOnlyHint'] === true;
}

/** Checks what a person has written. Throws `usage` for a pattern that cannot be read or is about more than handles. */
export function checkScope(scope: CallerScope): void {
  const pins = scope.list === 'all' ? [] : scope.list.pins;
  for (const text of [...(scope.tools ?? []), ...pins]) checkGroup(text);
  if (scope.manages && scope.servers !== null) {
    throw new LongshoreError(
      'usage',
      'A client that brings its own servers cannot be limited to some servers. Leave out one of the two.',
    );
  }
}

function checkGroup(text: string): void {
  const { caller, agent, conditions } = readPattern(text);
  if (caller === undefined && agent === undefined && conditions.length === 0) return;
  throw new LongshoreError(
    'usage',
    `${JSON.stringify(text)} names tools for a token, so "by", "for" and "when" have no place in it. Write a rule for that: longshore deny PATTERN`,
  );
}

function compiledScope(scope: CallerScope): CompiledScope {
  let found = compiled.get(scope);
  if (found === undefined) {
    found = compileScope(scope);
    compiled.set(scope, found);
  }
  return found;
}

function compileScope({ servers, tools, risk, list, manages }: CallerScope): CompiledScope {
  const keys = servers === null ? undefined : new Set(servers);
  const groups = tools === null ? undefined : groupsOf(tools);
  const pins = list === 'all' ? undefined : groupsOf(list.pins);
  const reaches = (patterns: readonly RulePattern[], handle: Handle) =>
    patterns.some(pattern => patternReaches(pattern, handle));
  return {
    sees(handle) {
      if (risk !== 'all' && !isReadOnly(handle)) return false;
      if (handle.ownerKey === ownServerKey) return manages;
      return (keys === undefined || keys.has(handle.ownerKey)) && (groups === undefined || reaches(groups, handle));
    },
    lists: handle => pins === undefined || handle.ownerKey === ownServerKey || reaches(pins, handle),
  };
}

/** Those that can be read: a scope must never reach further than was understood of it. */
function groupsOf(texts: readonly string[]): readonly RulePattern[] {
  return texts.flatMap(text => {
    const parsed = parsePattern(text);
    if (!('pattern' in parsed)) return [];
    const { caller, agent, conditions } = parsed.pattern;
    return caller === undefined && agent === undefined && conditions.length === 0 ? [parsed.pattern] : [];
  });
}
