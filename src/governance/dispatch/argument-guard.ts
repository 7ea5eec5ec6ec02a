import { LongshoreError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { matchesTemplate } from '../../core/uri-template.ts';
import type { Diagnostic, Handle } from '../../core/words.ts';
import { cut } from '../../lib/cut.ts';
import { nearestName } from '../../lib/nearest-name.ts';
import type { Received, Snapshot } from '../../schema/argument-snapshot.ts';
import { compiledSchemas } from '../../schema/compiled-schemas.ts';

/** Arguments that may be sent, with what of them does not fit the tool's schema: a note for whoever decides. */
export interface CheckedArguments extends Snapshot {
  readonly misfits: readonly string[];
}

/** Checks the arguments of a call before anybody is asked about it. */
export interface ArgumentGuard {
  /**
   * Against the tool's original schema, or the URI template; what is completed need not be whole. The server decides about its
   * own arguments, often more kindly than its schema says (null for a value left out, a default that is required): what does
   * not fit is only noted. Rejects with `bad-arguments` where there is nothing to send, and for names that a closed schema
   * does not have; never because of a schema that cannot be used.
   */
  check(handle: Handle, received: Received, isCompletion?: boolean): Promise<CheckedArguments>;
  /** What a person should know about the schema, once it was looked at. */
  diagnostic(handle: Handle): Diagnostic | undefined;
}

/** A guard that has looked at no schema yet. */
export function argumentGuard(): ArgumentGuard {
  const schemas = compiledSchemas('inputSchema');
  return {
    async check(handle, snapshot, isCompletion = false) {
      if ('problem' in snapshot) throw bad(handle, [snapshot.problem]);
      const wrong = isCompletion ? notCompletable(handle) : foreignUri(handle, snapshot);
      if (wrong !== undefined) throw bad(handle, [wrong]);
      if (handle.kind !== 'tool') return { ...snapshot, misfits: [] };
      const unknown = unknownNames(handle.definition['inputSchema'], snapshot.args);
      if (unknown.length > 0) throw bad(handle, unknown);
      const found = schemas.of(handle);
      const result = found instanceof Promise ? await found : found;
      const problems = 'validator' in result ? result.validator.check(snapshot.args, snapshot.size) : [];
      return { ...snapshot, misfits: problems.slice(0, mostMisfits) };
    },
    diagnostic(handle) {
      const found = schemas.known(handle);
      if (found === undefined || 'validator' in found) return undefined;
      const message = `The arguments of ${handle.handleName} are hardly checked, because its schema cannot be used: ${found.unusable}.`;
      return { code: 'unusable-schema', message };
    },
  };
}

function notCompletable({ kind }: Handle): string | undefined {
  if (kind === 'prompt' || kind === 'template') return undefined;
  return `only arguments of prompts and of templates can be completed, and this is a ${kind}`;
}

/** What is wrong with the URI that is to be read through a template, if anything is. */
function foreignUri({ kind, wireName }: Handle, { args }: Snapshot): string | undefined {
  if (kind !== 'template') return undefined;
  const { uri } = args;
  if (typeof uri !== 'string') return 'a template needs "uri", the URI of the resource to read';
  return matchesTemplate(wireName, uri) ? undefined : `${JSON.stringify(cut(uri, 200))} does not fit ${wireName}`;
}

const mostMisfits = 10;

/** So many unknown names are told, with a suggestion for the first of them: neither is worth more of anybody's time. */
const mostNamed = 20;
const mostSuggested = 3;
const longestList = 1_000;

/** A closed schema names all its arguments: an unknown one is refused with what was probably meant, never dropped. */
function unknownNames(schema: JsonValue | undefined, args: JsonObject): string[] {
  if (!isJsonObject(schema) || schema['additionalProperties'] !== false || schema['patternProperties'] !== undefined)
    return [];
  const properties = isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const known = new Set(properties);
  const unknown = Object.keys(args).filter(name => !known.has(name));
  const some = cut(properties.slice(0, mostNamed).join(', '), longestList);
  const all =
    properties.length === 0
      ? 'it takes none'
      : `it takes ${some}${some.length < properties.join(', ').length ? ' …' : ''}`;
  return unknown.slice(0, mostNamed).map((name, index) => {
    const near = index < mostSuggested ? nearestName(name, properties) : undefined;
    const meant = near === undefined ? '' : `, did you mean ${near}?`;
    return `${JSON.stringify(cut(name, 200))} is not an argument${meant} (${all})`;
  });
}

function bad(handle: Handle, problems: readonly string[]): LongshoreError {
  const text = problems.slice(0, 10).join('; ');
  return new LongshoreError('bad-arguments', `${handle.handleName} was not called: ${text}.`, {
    data: { problems: problems.slice(0, 50) },
  });
}
