import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Definition, HandleKind } from '../../core/words.ts';
import { anyObject, flag, listOf, type Member, Notes, oneOf, shape, text } from './members.ts';
import { emptyInput, inputSchema, outputSchema } from './read-schema.ts';

/** A definition that can be mounted, with the places where it was not of the protocol's form; or why it cannot be. */
export type ReadDefinition =
  | { readonly definition: Definition; readonly changed: readonly string[] }
  | { readonly unusable: string };

/** What rmcp and zod both take for a time (RFC 3339). */
const isDateTime = z.iso.datetime({ offset: true });
const time: Member = value =>
  typeof value === 'string' && /T\d\d:\d\d:\d\d/.test(value) && isDateTime.safeParse(value).success ? value : undefined;

/** A share of one. */
const share: Member = value => (typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined);

/** Bytes: a whole number that every language has. */
const byteCount: Member = value => (Number.isSafeInteger(value) && Number(value) >= 0 ? value : undefined);

const icons = listOf(shape({ src: text, mimeType: text, sizes: listOf(text), theme: oneOf('light', 'dark') }, ['src']));
const common = { title: text, description: text, icons, _meta: anyObject };
const annotations = shape({ audience: listOf(oneOf('user', 'assistant')), priority: share, lastModified: time });
const argument = shape({ name: text, title: text, description: text, required: flag }, ['name']);

const forms: Readonly<Record<HandleKind, Member>> = {
  tool: shape({
    ...common,
    inputSchema,
    outputSchema,
    annotations: shape({
      title: text,
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
    }),
    execution: shape({ taskSupport: oneOf('required', 'optional', 'forbidden') }),
  }),
  resource: shape({ ...common, mimeType: text, size: byteCount, annotations }),
  template: shape({ ...common, mimeType: text, annotations }),
  prompt: shape({ ...common, arguments: listOf(argument) }),
};

/** What a definition of each kind cannot be without. */
const identities = { tool: 'name', resource: 'uri', template: 'uriTemplate', prompt: 'name' } as const;

/**
 * Reads a definition as servers write them: null is absent, `[]` is an empty object, an optional member of another form is
 * left out, an input schema is one of an object (R37). Whatever is right or unknown to us stays as it came. One without its
 * name or URI is unusable. Never throws; reading what was read changes nothing.
 */
export function readDefinition(kind: HandleKind, item: JsonValue): ReadDefinition {
  if (!isJsonObject(item)) return { unusable: 'it is no object' };
  const identity = identities[kind];
  const id = item[identity];
  if (typeof id !== 'string') return { unusable: `${identity}: it is ${id === undefined ? 'missing' : 'no text'}` };
  if (id === '' && identity !== 'name') return { unusable: `${identity}: it is empty` };
  const notes = new Notes();
  const read = named(forms[kind](item, notes) as JsonObject, id, notes);
  const definition = kind === 'tool' && read.inputSchema === undefined ? { ...read, inputSchema: emptyInput } : read;
  return { definition: definition as Definition, changed: notes.paths };
}

/** A resource without a name is called by its title, or by its URI. */
function named(definition: JsonObject, id: string, notes: Notes): JsonObject {
  const { name, title } = definition;
  if (typeof name === 'string') return definition;
  if (name !== undefined && name !== null) notes.member('name', name, () => undefined);
  return { ...definition, name: typeof title === 'string' && title !== '' ? title : id };
}
