import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modernHeaders, modernParams, rawLegacy, rawModern } from '../fixtures/raw-mcp.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';

const long = 120_000;
/** As JSON spells half of a pair. */
const loneSurrogate = /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}/i;

let home: McpHome;
let token: string;
let url: string;

beforeAll(async () => {
  home = await mcpHome();
  await home.allow('*');
  await home.save('odd', stdioFixture('odd-lists', 'legacy'));
  await home.save('odd26', stdioFixture('odd-lists', 'modern'));
  await home.save('good', stdioFixture('two-tools'));
  ({ token } = await home.caller('strict'));
  url = `${home.origin}/mcp`;
}, long);
afterAll(() => home?.[Symbol.asyncDispose]());

/** The whole text of an answer, before anything is parsed. */
async function textOf(era: 'legacy' | 'modern', method: string, params: Record<string, unknown> = {}): Promise<string> {
  const session = era === 'legacy' ? await rawLegacy(url, token, {}) : undefined;
  const frame = { jsonrpc: '2.0', id: 1, method, params: session ? params : modernParams(params) };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session?.headers ?? modernHeaders(token, method, params)),
    },
    body: JSON.stringify(frame),
  });
  return await response.text();
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe.each(['legacy', 'modern'] as const)('what a %s client is told, beside the result it asked for', era => {
  it.each<[string, Record<string, unknown>]>([
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    // HTTP headers have no other characters.
    ...(era === 'legacy' ? ([[`${'m'.repeat(199)}😀`, {}]] as [string, Record<string, unknown>][]) : []),
    ...(era === 'modern' ? ([['server/discover', {}]] as [string, Record<string, unknown>][]) : []),
    ['tools/call', { name: `${'a'.repeat(199)}😀` }],
    ['tools/call', { name: 'odd__error', arguments: {} }],
    ['tools/call', { name: 'odd26__error', arguments: {} }],
    ['tools/call', { name: 'odd__progress', arguments: {}, _meta: { progressToken: 1 } }],
    ['prompts/get', { name: `${'a'.repeat(199)}😀` }],
    ['resources/read', { uri: `a:${'a'.repeat(497)}😀` }],
  ])('Q4: %s is well-formed Unicode', async (method, params) => {
    const text = await textOf(era, method, params);
    expect(text).toMatch(/jsonrpc/);
    expect(text).not.toMatch(loneSurrogate);
  });

  it('Q5: no list is nested deeper than 127, and none loses an entry', async () => {
    const own = `${url}/odd`;
    await using client = era === 'legacy' ? await rawLegacy(own, token) : rawModern(own, token);
    for (const [method, member, count] of [
      ['tools/list', 'tools', 12],
      ['resources/list', 'resources', 8],
      ['resources/templates/list', 'resourceTemplates', 3],
      ['prompts/list', 'prompts', 1],
    ] as const) {
      const frame = await client.request(method);
      expect(depthOf(frame)).toBeLessThan(127);
      expect([method, frame.result[member].length]).toEqual([method, count]);
    }
  });

  it('Q5: a resource whose URI is none is read under the one it is listed by, and under its own', async () => {
    const own = `${url}/odd`;
    await using client = era === 'legacy' ? await rawLegacy(own, token) : rawModern(own, token);
    const { resources } = (await client.request('resources/list')).result;
    for (const wire of ['README.md', 'my_scheme://x', 'http://']) {
      const listed = `longshore://resources/odd?uri=${encodeURIComponent(wire)}`;
      expect(resources.map(({ uri }: { uri: string }) => uri)).toContain(listed);
      for (const uri of [listed, wire]) {
        const { result } = await client.request('resources/read', { uri });
        expect(result.contents).toEqual([{ uri, text: `read ${wire}` }]);
      }
    }
    for (const { uri } of resources) {
      expect(new URL(uri).href.length).toBeGreaterThan(0);
      expect(await client.request('resources/read', { uri })).toHaveProperty('result');
    }
  });

  it('Q5: a template in the spelling of the standard leads to what its server means', async () => {
    const own = `${url}/odd`;
    await using client = era === 'legacy' ? await rawLegacy(own, token) : rawModern(own, token);
    const { resourceTemplates } = (await client.request('resources/templates/list')).result;
    expect(resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual(
      expect.arrayContaining(['odd://%7Ba', 'users://{user%2Did}', 'file:///a%20b/{x}']),
    );
    const { result } = await client.request('resources/read', { uri: 'file:///a%20b/1' });
    expect(result.contents).toEqual([{ uri: 'file:///a%20b/1', text: 'read file:///a b/1' }]);
    const ref = { type: 'ref/resource', uri: 'users://{user%2Did}' };
    const completed = await client.request('completion/complete', { ref, argument: { name: 'user%2Did', value: '' } });
    expect(completed.result.completion.values).toEqual(['user-id']);
  });
});

it('Q12: a 2025 client that asked for no log level hears what its server says by itself, well-formed', async () => {
  expect(await textOf('legacy', 'tools/call', { name: 'odd__progress', arguments: {} })).toContain(
    'middle of an emoji \ufffd',
  );
});

it('Q6: nothing may be reused that nobody promised, and a read never by other callers', async () => {
  const client = rawModern(url, token);
  for (const [method, params] of [
    ['tools/list', {}],
    ['server/discover', {}],
    ['resources/read', { uri: 'odd://float' }],
  ] as const) {
    expect((await client.request(method, params)).result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  }
});

it('B1, Q5: the SDK of 2025 reads every list', async () => {
  await using client = await rawLegacy(url, token);
  for (const [method, schema] of [
    ['tools/list', ListToolsResultSchema],
    ['resources/list', ListResourcesResultSchema],
    ['resources/templates/list', ListResourceTemplatesResultSchema],
    ['prompts/list', ListPromptsResultSchema],
  ] as const) {
    const { result } = await client.request(method);
    expect(schema.safeParse(result).error).toBeUndefined();
  }
});
