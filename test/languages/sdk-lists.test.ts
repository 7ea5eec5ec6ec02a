import { specTypeSchemas } from '@modelcontextprotocol/client';
import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { type Era, type Handle, type HandleKind, handleKinds } from '../../src/core/words.ts';
import { toClientDefinition } from '../../src/mcp/client-definition.ts';
import { readDefinition } from '../../src/schema/definition/read-definition.ts';

/** Whatever a server may have written, mostly wrong. */
const anything = fc.letrec<{ value: JsonValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<JsonValue>(null, true, false, 0, 1.5, -1, 1e20, '', 'object', 'array', 'user', 'light', 'optional'),
    fc.constantFrom<JsonValue>('2025-01-01T00:00:00Z', '2025-01-01T00:00Z', 'half \ud83d', [], {}, { type: 'object' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('type', 'properties', 'required', 'additionalProperties', 'name', 'title', 'src', 'theme', 'a'),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value;
const definitions = fc.record(
  {
    name: fc.constantFrom<JsonValue>('n', '', 5, null),
    uri: fc.constantFrom('a://b', 'README.md', 'http://'),
    uriTemplate: fc.constantFrom('a://{b}', 'odd://{a', 'a b'),
    ...Object.fromEntries(
      ['title', 'description', 'mimeType', 'size', '_meta', 'icons', 'execution', 'arguments', 'required'].map(name => [
        name,
        anything,
      ]),
    ),
    inputSchema: fc.oneof(
      anything,
      fc.record({ type: fc.constant('object'), properties: anything, required: anything }),
    ),
    outputSchema: fc.oneof(
      anything,
      fc.record({ type: fc.constant('object'), properties: anything, required: anything }),
    ),
    annotations: fc.oneof(
      anything,
      fc.record({
        audience: anything,
        priority: anything,
        lastModified: anything,
        readOnlyHint: anything,
        title: anything,
      }),
    ),
  },
  { requiredKeys: ['uri', 'uriTemplate'] },
);

/** What the SDKs of both generations make of one list. */
const sdkLists = {
  tool: {
    of2025: (items: JsonValue[]) => ListToolsResultSchema.safeParse({ tools: items }),
    of2026: specTypeSchemas.Tool,
  },
  resource: {
    of2025: (items: JsonValue[]) => ListResourcesResultSchema.safeParse({ resources: items }),
    of2026: specTypeSchemas.Resource,
  },
  template: {
    of2025: (items: JsonValue[]) => ListResourceTemplatesResultSchema.safeParse({ resourceTemplates: items }),
    of2026: specTypeSchemas.ResourceTemplate,
  },
  prompt: {
    of2025: (items: JsonValue[]) => ListPromptsResultSchema.safeParse({ prompts: items }),
    of2026: specTypeSchemas.Prompt,
  },
} as const satisfies Record<HandleKind, unknown>;

/** What the SDK of that era says against a list with this definition alone; undefined if it reads it. */
function refused(kind: HandleKind, definition: JsonObject, era: Era): unknown {
  const { uri } = definition;
  const own = { kind, ownerKey: 'notes', handleName: 'notes__find', wireName: typeof uri === 'string' ? uri : '' };
  const shown = toClientDefinition({ ...own, definition } as unknown as Handle, era);
  if (era === 'legacy') return sdkLists[kind].of2025([shown]).error?.issues;
  const read = sdkLists[kind].of2026['~standard'].validate(shown);
  return 'issues' in read ? read.issues : undefined;
}

const eras = fc.constantFrom<Era>('legacy', 'modern');

describe('lists as the SDKs of both generations read them', () => {
  it.each(handleKinds)('B1, Q5: none is refused for any %s that a server could write', kind => {
    const usable = definitions
      .map(written => readDefinition(kind, written as JsonObject))
      .filter(read => 'definition' in read);
    const found: unknown[] = [];
    fc.assert(
      fc.property(usable, eras, (read, era) => {
        if ('definition' in read) found.push(...[refused(kind, read.definition, era) ?? []].flat());
        return found.length === 0;
      }),
      { numRuns: 1_500 },
    );
    expect(found).toEqual([]);
  });

  it.each(handleKinds)('none is refused for any %s that an older version kept as it came', kind => {
    const named = definitions.filter(({ name }) => typeof name === 'string');
    const found: unknown[] = [];
    fc.assert(
      fc.property(named, eras, (written, era) => {
        found.push(...[refused(kind, written as JsonObject, era) ?? []].flat());
        return found.length === 0;
      }),
      { numRuns: 300 },
    );
    expect(found).toEqual([]);
  });
});
