import type { Digest, HandleName, ServerKey } from '../../core/ids.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { type Caller, type Handle, handleKinds, type Program } from '../../core/words.ts';
import type { StoredRule } from '../../store/rules.ts';
import { type Difference, definitionDifference } from '../registry/definition-difference.ts';
import { judgedPart } from '../registry/definition-digest.ts';
import type { Pin, Rule } from './rule.ts';

/** Pins to a handle as it is now, for one caller or for all. */
export function pinOf(handle: Handle, caller: Caller | null): Pin {
  const { ownerKey, handleName, kind, definitionDigest, definition, program = null } = handle;
  return { ownerKey, handleName, kind, caller, definitionDigest, definition: judgedPart(definition), program };
}

/** Whether a handle is what the pin was made for: the same definition, from a server that is started from the same program. */
export function isPinnedTo(pin: Pin, { definitionDigest, program }: Handle): boolean {
  return pin.definitionDigest === definitionDigest && pin.program?.digest === program?.digest;
}

/** Where a handle differs from what the pin was made for, what its server is started from first; the first fifty places. */
export function sincePinned(pin: Pin, { definition, program }: Handle): readonly Difference[] {
  const differences = definitionDifference(pin.definition, judgedPart(definition));
  if (pin.program?.digest === program?.digest) return differences;
  const before = pin.program && { before: pin.program.text };
  return [{ path: 'program', ...before, ...(program && { after: program.text }) }, ...differences];
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
  const { ownerKey, handleName, kind, caller, definitionDigest, definition, program } = value;
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
    program: readProgram(program),
  };
}

/** A pin without one was made before programs were kept: it holds for no program, so its tool is asked about once more. */
function readProgram(value: JsonValue | undefined): Program | null {
  if (!isJsonObject(value)) return null;
  const { digest, text } = value;
  return typeof digest === 'string' && typeof text === 'string' ? { digest: digest as Digest, text } : null;
}
