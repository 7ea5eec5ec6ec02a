import type { Digest, HandleName, ServerKey } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';
import { type Caller, type Handle, handleKinds } from '../../core/words.ts';
import type { StoredRule } from '../../store/rules.ts';
import { judgedPart } from '../registry/definition-digest.ts';
import type { Pin, Rule } from './rule.ts';

/** Pins to a handle as it is now, for one caller or for all. */
export function pinOf(handle: Handle, caller: Caller | null): Pin {
  const { ownerKey, handleName, kind, definitionDigest, definition } = handle;
  return { ownerKey, handleName, kind, caller, definitionDigest, definition: judgedPart(definition) };
}

/** A stored rule, understood; one whose pin or source is damaged gets a level that is none, and so closes the door. */
export function ruleFromStore(stored: StoredRule): Rule {
  const { source } = stored;
  const pin = stored.pin === null ? null : readPin(stored.pin);
  const sound = pin !== undefined && (source === 'operator' || source === 'approval');
  return {
    id: stored.id,
    agentId: stored.agentId,
    level: sound ? stored.level : `damaged ${stored.level}`,
    pattern: stored.pattern,
    pin: pin ?? null,
    lifetime: 'persistent',
    source: source === 'approval' ? 'approval' : 'operator',
    reason: stored.reason,
    createdAt: stored.createdAt,
  };
}

function readPin(value: StoredRule['pin']): Pin | undefined {
  if (!isJsonObject(value)) return undefined;
  const { ownerKey, handleName, kind, caller, definitionDigest, definition } = value;
  if (typeof ownerKey !== 'string' || typeof handleName !== 'string' || typeof definitionDigest !== 'string')
    return undefined;
  const known = handleKinds.find(each => each === kind);
  if (known === undefined) return undefined;
  if ((caller !== null && typeof caller !== 'string') || !isJsonObject(definition)) return undefined;
  return {
    ownerKey: ownerKey as ServerKey,
    handleName: handleName as HandleName,
    kind: known,
    caller: caller as Caller | null,
    definitionDigest: definitionDigest as Digest,
    definition,
  };
}
