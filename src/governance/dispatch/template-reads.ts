import type { CallerScope } from '../../core/caller-scope.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { expandTemplate } from '../../core/uri-template.ts';
import type { Caller, Handle } from '../../core/words.ts';
import { handleName } from '../registry/handle-names.ts';
import type { Registry } from '../registry/registry.ts';
import type { Decision, Policy } from '../rules/policy.ts';
import { fullEffort, textHolds } from '../rules/text-comparison.ts';
import { uriPlace } from '../rules/uri-match.ts';
import type { Completes } from './call.ts';
import { isInScope } from './caller-scope.ts';

/** The URI that a call of a template reads; undefined for every other call. */
export function templateUri({ kind }: Handle, args: JsonObject | undefined): string | undefined {
  const uri = kind === 'template' ? args?.['uri'] : undefined;
  return typeof uri === 'string' ? uri : undefined;
}

/** What is listed is governed as what is listed, also when somebody comes to it by way of a template. */
export function listedInstead(registry: Registry, handle: Handle, args: JsonObject | undefined): Handle {
  const uri = templateUri(handle, args);
  if (uri === undefined) return handle;
  const { agentId, ownerKey } = handle;
  return registry.list(agentId, { ownerKey, kind: 'resource' }).find(({ wireName }) => wireName === uri) ?? handle;
}

/** A decision, and about which handle it speaks. */
export interface DecisionAbout {
  readonly decision: Decision;
  readonly about: Handle;
}

const strictness = { allow: 0, ask: 0, 'always-ask': 1, deny: 2 } as const;

/**
 * What the rules say about a call. Reading through a template is also reading that very URI, and whatever is listed under
 * a URI that a server may take for the same: what a rule forbids or always asks about there holds, and where no rule
 * speaks about the template, a rule about the URI decides.
 */
export function decideAbout(
  { policy, registry }: { readonly policy: Policy; readonly registry: Registry },
  handle: Handle,
  caller: Caller,
  args: JsonObject | undefined,
): DecisionAbout {
  const decide = (about: Handle): DecisionAbout => ({ decision: policy.decide(about, caller, args), about });
  const own = decide(handle);
  const uri = templateUri(handle, args);
  if (uri === undefined) return own;
  const asResource = decide(resourceAt(handle, uri));
  const listed = listedAlike(registry, asResource.about).map(decide);
  const strict = [own, asResource, ...listed].toSorted((a, b) => strictnessOf(b) - strictnessOf(a))[0] ?? own;
  if (strictnessOf(strict) > strictnessOf(own)) return strict;
  if (own.decision.rule === undefined) return asResource;
  const held =
    own.decision.level === 'allow' && listed.find(({ decision: { level, rule } }) => rule && level !== 'allow');
  if (held) return held;
  if (own.decision.level === 'allow' && !staysWithin(handle, uri)) {
    return { decision: { level: 'ask', rule: undefined, changed: undefined }, about: handle };
  }
  return own;
}

/** Whether a rule denies the URI that a template becomes with what was filled in so far, for who completes the rest of it. */
export function deniesCompletion(policy: Policy, handle: Handle, caller: Caller, completes: Completes): boolean {
  if (handle.kind !== 'template') return false;
  const { argument, context } = completes;
  const given = isJsonObject(context?.['arguments']) ? context['arguments'] : {};
  const { name, value } = argument;
  const values = typeof name === 'string' ? { ...given, [name]: value } : given;
  const about = resourceAt(handle, expandTemplate(handle.wireName, values));
  return policy.decide(about, caller, undefined).level === 'deny';
}

/** Whether a scope that reaches a template also reaches what is read through it: detours lead out of it. */
export function isReadInScope(handle: Handle, args: JsonObject | undefined, scope: CallerScope | undefined): boolean {
  const uri = templateUri(handle, args);
  if (uri === undefined || scope === undefined || scope.tools === null) return true;
  return staysWithin(handle, uri) || isInScope(resourceAt(handle, uri), scope);
}

function strictnessOf({ decision }: DecisionAbout): number {
  return strictness[decision.level];
}

/** The resource of that URI as if it were listed. */
function resourceAt(handle: Handle, uri: string): Handle {
  return { ...handle, kind: 'resource', wireName: uri, handleName: handleName(handle.ownerKey, uri) };
}

/** What is listed under another spelling of the same URI. */
function listedAlike(registry: Registry, resource: Handle): readonly Handle[] {
  const { agentId, ownerKey, wireName } = resource;
  if (wireName.length > longestUri) return [];
  const readings = new Set(uriPlace(resource).readings);
  return registry
    .list(agentId, { ownerKey, kind: 'resource' })
    .filter(listed => uriPlace(listed).readings.some(reading => readings.has(reading)));
}

const longestUri = 65_536;

/** Whether a URI is below what the template begins with in every reading: `file:///pub/../secret` is not below `file:///pub/`. */
function staysWithin({ wireName }: Handle, uri: string): boolean {
  const fixed = wireName.split('{', 1)[0] ?? '';
  const below = fixed.slice(0, fixed.lastIndexOf('/') + 1);
  return below === '' || textHolds('startsWith', uri, { text: below, number: undefined }, fullEffort()) === 'yes';
}
