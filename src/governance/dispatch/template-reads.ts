import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Caller, Handle } from '../../core/words.ts';
import { handleName } from '../registry/handle-names.ts';
import type { Registry } from '../registry/registry.ts';
import type { Decision, Policy } from '../rules/policy.ts';

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
 * What the rules say about a call. Reading through a template is also reading that very URI: what a rule forbids or
 * always asks about there holds, and where no rule speaks about the template, a rule about the URI decides.
 */
export function decideAbout(
  policy: Policy,
  handle: Handle,
  caller: Caller,
  args: JsonValue | undefined,
): DecisionAbout {
  const own = { decision: policy.decide(handle, caller, args), about: handle };
  const uri = templateUri(handle, args as JsonObject | undefined);
  if (uri === undefined) return own;
  const about: Handle = { ...handle, kind: 'resource', wireName: uri, handleName: handleName(handle.ownerKey, uri) };
  const asResource = { decision: policy.decide(about, caller, args), about };
  const isStricter = strictness[asResource.decision.level] > strictness[own.decision.level];
  return isStricter || own.decision.rule === undefined ? asResource : own;
}
