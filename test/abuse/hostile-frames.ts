import type { Chances } from './seeded.ts';

/** A request of ours as a server reads it. */
export interface Asked {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly _meta?: { readonly progressToken?: unknown } };
}

type Json = Record<string, unknown>;

const lists = { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} };
const changing = { ...lists, tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } };
const schema = { type: 'object', properties: { a: { type: 'string' } } };

/** The right answer to each method. */
export function rightResult(method: string | undefined, { is }: Chances): Json {
  const capabilities = is(0.5) ? lists : changing;
  const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const results: Record<string, Json> = {
    initialize: { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'hostile', version: '1' } },
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities, ...complete },
    'tools/list': { tools: ['t0', 't1', 't2'].map(name => ({ name, inputSchema: schema })), ...complete },
    'tools/call': { content: [{ type: 'text', text: 'done' }], resultType: 'complete' },
    'resources/list': { resources: [{ uri: 'a://b', name: 'b' }], ...complete },
    'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a://{b}', name: 'c' }], ...complete },
    'prompts/list': { prompts: [{ name: 'p', arguments: [{ name: 'x' }] }], ...complete },
  };
  return results[method ?? ''] ?? {};
}

/** Values that a member may have in place of its own. */
function oddValue(chances: Chances): unknown {
  const deep = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  };
  const odd: readonly (() => unknown)[] = [
    () => null,
    () => [],
    () => ({}),
    () => '',
    () => true,
    () => -1,
    () => 1.5,
    () => 1e300,
    () => '\ud83d',
    () => '\0\u001b[2J',
    () => 'x'.repeat(chances.below(100_000)),
    () => deep(chances.below(3_000)),
    () => Array.from({ length: chances.below(20_000) }, () => null),
    () => ({ toString: 1, constructor: null, length: -1, then: {}, toJSON: 'x' }),
    () => JSON.parse('{"__proto__":{"polluted":true},"rawJSON":"1"}'),
    () => [[], [null], { a: undefined }],
    () => '7'.repeat(400),
  ];
  return chances.oneOf(odd)();
}

/** The same value with one part of it, at some depth, put wrong. */
function mutated(value: unknown, chances: Chances): unknown {
  if (typeof value !== 'object' || value === null || chances.is(0.2)) return oddValue(chances);
  if (Array.isArray(value)) {
    if (value.length === 0) return oddValue(chances);
    const at = chances.below(value.length);
    return chances.is(0.2)
      ? [...value, ...value]
      : value.map((item, index) => (index === at ? mutated(item, chances) : item));
  }
  const names = Object.keys(value);
  if (names.length === 0 || chances.is(0.1))
    return { ...value, [String(oddValue(chances)).slice(0, 50)]: oddValue(chances) };
  const name = chances.oneOf(names);
  const { [name]: member, ...rest } = value as Json;
  return chances.is(0.15) ? rest : { ...rest, [name]: mutated(member, chances) };
}

/** Ids as servers get them wrong. */
function oddId(id: unknown, chances: Chances): unknown {
  return chances.oneOf([
    String(id),
    null,
    undefined,
    [],
    {},
    1.5,
    -1,
    1e20,
    '',
    true,
    Number(id) + 1,
    `${String(id)}.0`,
    id,
  ]);
}

/** What a server may say by itself, in whatever form. */
function unasked(asked: Asked, chances: Chances): Json {
  const methods = [
    ...['tools', 'resources', 'prompts'].map(list => `notifications/${list}/list_changed`),
    ...['progress', 'message', 'cancelled', 'resources/updated', 'elicitation/complete', 'initialized', 'x'].map(
      name => `notifications/${name}`,
    ),
    ...[
      'ping',
      'roots/list',
      'sampling/createMessage',
      'elicitation/create',
      'foo/bar',
      'tools/call',
      'initialize',
      '',
    ],
  ];
  const params = {
    progressToken: asked.params?._meta?.progressToken ?? 1,
    progress: 1,
    level: 'info',
    data: 'x',
    uri: 'a://b',
    requestId: asked.id,
    message: 'm',
    requestedSchema: schema,
  };
  const id = chances.is(0.4) ? { id: chances.oneOf<unknown>(['q', 1, null, 2 ** 60, [], asked.id]) } : {};
  return {
    jsonrpc: '2.0',
    ...id,
    method: chances.is(0.9) ? chances.oneOf(methods) : oddValue(chances),
    params: chances.is(0.5) ? params : chances.is(0.5) ? mutated(params, chances) : oddValue(chances),
  };
}

/** The text of a message, with what JSON.stringify cannot write. */
function written(value: unknown, chances: Chances): string {
  const json = JSON.stringify(value) ?? 'undefined';
  if (!chances.is(0.15)) return json;
  const raw = chances.oneOf([
    'NaN',
    '-Infinity',
    '1e400',
    '1.0',
    '9007199254740993',
    'undefined',
    '01',
    "'x'",
    '\\ud83d',
    '"\\ud83d"',
  ]);
  return json.replace(/:(?:null|true|1|"[^"]{0,9}")(?=[,}])/, `:${raw}`);
}

/** One answer of a hostile server: the texts that it sends, most of them near to a message. */
export function hostileTexts(asked: Asked, chances: Chances): readonly string[] {
  const right = { jsonrpc: '2.0', id: asked.id, result: rightResult(asked.method, chances) };
  const text = JSON.stringify(right);
  const forms: readonly (() => readonly string[])[] = [
    () => [text],
    () => [written(mutated(right, chances), chances)],
    () => [written({ ...right, result: mutated(right.result, chances) }, chances)],
    () => [written({ ...right, id: oddId(asked.id, chances) }, chances), text],
    () => [written({ ...right, error: oddValue(chances) }, chances)],
    () => [
      written(
        { jsonrpc: '2.0', id: asked.id, error: mutated({ code: -32_000, message: 'no', data: {} }, chances) },
        chances,
      ),
    ],
    () => [text, text, text],
    () => [text.slice(0, chances.below(text.length))],
    () => [`Loading... ${text}`],
    () => [`${text}${text}`],
    () => [`${text} trailing`],
    () => [JSON.stringify([right, mutated(right, chances), null])],
    () => ['[]', 'null', '42', '""', '{', ']', text],
    () => [`{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)},"result":${'['.repeat(chances.below(200_000))}`],
    () => {
      const depth = chances.below(20_000);
      return [
        `{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)},"result":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
      ];
    },
    () => [JSON.stringify({ ...right, result: { ...right.result, junk: 'x'.repeat(chances.below(12_000_000)) } })],
    () => [
      JSON.stringify({ ...right, result: { content: Array.from({ length: chances.below(150_000) }, () => ({})) } }),
    ],
    () => [...Array.from({ length: chances.below(3_000) }, () => JSON.stringify(unasked(asked, chances))), text],
    () => [],
  ];
  const before = chances.is(0.4) ? [written(unasked(asked, chances), chances)] : [];
  return [...before, ...chances.oneOf(forms)()];
}

/** The bytes of a text in some encoding that servers use, right or wrong. */
export function encoded(text: string, chances: Chances): Buffer {
  const encodings: readonly (() => Buffer)[] = [
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.from(`\ufeff${text}`),
    () => Buffer.from(text, 'latin1'),
    () => Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0x80]), Buffer.from(text)]),
    () => Buffer.concat([Buffer.from(text), Buffer.from([0x00])]),
    () => Buffer.from(text.replaceAll(',', ',\r')),
  ];
  return chances.is(0.9) ? Buffer.from(text) : chances.oneOf(encodings)();
}
