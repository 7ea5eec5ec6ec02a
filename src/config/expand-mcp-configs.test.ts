import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LongshoreError } from '../core/errors.ts';
import { expandMcpConfigsFromJson } from './expand-mcp-configs.ts';
import { inferTransport } from './infer-transport.ts';

const configs = (json: unknown) => expandMcpConfigsFromJson(json).configs.map(entry => entry.config);

function refusal(json: unknown): LongshoreError {
  try {
    expandMcpConfigsFromJson(json);
  } catch (error) {
    if (error instanceof LongshoreError) return error;
    throw error;
  }
  throw new Error(`expected a refusal of ${JSON.stringify(json)}`);
}

describe('expandMcpConfigsFromJson', () => {
  it("R20: reads Cursor's and Claude Desktop's shape, and the key names the server", () => {
    const cursor = { mcpServers: { github: { command: 'docker', args: ['run', '--rm', '-i', 'ghcr.io/github/x'] } } };
    const desktop = { mcpServers: { github: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-github'] } } };
    for (const sample of [cursor, desktop]) {
      const [config, ...more] = configs(sample);
      expect(config).toEqual({ name: 'github', ...sample.mcpServers.github });
      expect(more).toEqual([]);
      expect(config && inferTransport(config)).toBe('stdio');
    }
  });

  it('R20: an inner name that is not blank wins over the key', () => {
    expect(configs({ mcpServers: { key: { name: 'inner', command: 'y' } } })).toEqual([
      { name: 'inner', command: 'y' },
    ]);
    expect(configs({ mcpServers: { key: { name: ' ', command: 'y' } } })).toEqual([{ name: 'key', command: 'y' }]);
  });

  it.each<[string, unknown]>([
    ['mcpServers by name', { mcpServers: { a: { command: 'x' }, b: { url: 'http://h/mcp' } } }],
    [
      'servers by name, as VS Code has it',
      { servers: { a: { command: 'x' }, b: { url: 'http://h/mcp' } }, inputs: [] },
    ],
    [
      'a list under servers',
      {
        servers: [
          { name: 'a', command: 'x' },
          { name: 'b', endpoint: 'http://h/mcp' },
        ],
      },
    ],
    [
      'a list',
      [
        { name: 'a', command: 'x' },
        { name: 'b', url: 'http://h/mcp' },
      ],
    ],
  ])('R21: accepts %s, as a value and as text', (_, json) => {
    const expected = [
      { name: 'a', command: 'x' },
      { name: 'b', endpoint: 'http://h/mcp' },
    ];
    expect(configs(json)).toEqual(expected);
    expect(configs(JSON.stringify(json))).toEqual(expected);
    expect(configs(`\ufeff${JSON.stringify(json, undefined, 2)}`)).toEqual(expected);
  });

  it('R21: accepts one server alone', () => {
    expect(configs({ name: 'a', command: 'x' })).toEqual([{ name: 'a', command: 'x' }]);
  });

  it('R22: skips what is no server, by index or key, with the reason', () => {
    const list = expandMcpConfigsFromJson([{ name: 'a', command: 'x' }, {}, 'x']);
    expect(list.configs).toHaveLength(1);
    expect(list.skipped).toEqual([
      { index: 1, reason: 'name is missing.' },
      { index: 2, reason: 'A server must be a JSON object.' },
    ]);
    const map = expandMcpConfigsFromJson({ mcpServers: { a: { command: 'x' }, b: { args: [] }, _comment: 'hello' } });
    expect(map.skipped).toEqual([
      { key: 'b', reason: 'The server needs a command to start or an endpoint to connect to.' },
      { key: '_comment', reason: 'A server must be a JSON object.' },
    ]);
  });

  it.each<[string, unknown]>([
    ['nothing valid in a list', [{}, 'x', null]],
    ['an empty map', { mcpServers: {} }],
    ['an empty list', []],
    ['an unknown shape', { tools: [] }],
    ['servers that are a number', { servers: 3 }],
    ['a number', 7],
    ['null', null],
  ])('R22: lists the accepted shapes when there is no valid server: %s', (_, json) => {
    const error = refusal(json);
    expect(error.code).toBe('bad-config');
    expect(error.message).toContain('Accepted are {"mcpServers"');
  });

  it('R22: never loses an entry to another with its name: keys win, and in a list the first does', () => {
    const clash = {
      b: { name: 'a', command: 'y' },
      a: { command: 'x' },
      c: { name: 'd', command: 'z' },
      e: { name: 'd', command: 'w' },
    };
    expect(configs({ mcpServers: clash }).map(({ name, command }) => `${name} ${command}`)).toEqual([
      'b y',
      'a x',
      'c z',
      'e w',
    ]);
    const { configs: kept, skipped } = expandMcpConfigsFromJson([
      { name: 'a', command: 'x' },
      { name: 'a', command: 'y' },
      { name: 'b', command: 'z' },
    ]);
    expect(kept.map(({ config }) => config.command)).toEqual(['x', 'z']);
    expect(skipped).toEqual([{ index: 1, reason: 'An earlier server has the name a too. Rename one of them.' }]);
  });

  it('tells which entries their file turns off, in any of the ways of clients', () => {
    const entry = (more: object) => ({ command: 'x', ...more });
    const { configs: read } = expandMcpConfigsFromJson({
      mcpServers: {
        on: entry({}),
        off: entry({ disabled: true }),
        off2: entry({ enabled: false }),
        on2: entry({ disabled: false, enabled: true }),
        on3: entry({ disabled: null }),
      },
    });
    expect(read.map(({ config, enabled, diagnostics }) => [config.name, enabled, diagnostics.length])).toEqual([
      ['on', true, 0],
      ['off', false, 0],
      ['off2', false, 0],
      ['on2', true, 0],
      ['on3', true, 0],
    ]);
  });

  it.each([
    ['{"a": geheim}', 'unexpected "g"'],
    ['{"a": "geheim",\n "b" 1}', 'line 2'],
    ['{"a": "geheim"', 'line 1'],
    ['{"a": "geheim', 'line 1'],
    ['', 'cut off'],
    ['[{"key": "geheim",}]', 'line 1'],
  ])('R22: says that JSON is invalid, and where, without quoting it: %s', (text, where) => {
    const error = refusal(text);
    expect(error.code).toBe('bad-config');
    expect(error.message).toMatch(/^Invalid JSON: /);
    expect(error.message).toContain(where);
    expect(error.message).not.toContain('geheim');
  });

  it('R22: accounts for every entry of any list or map, once, as a server or as skipped', () => {
    const body = fc.oneof(
      fc.record({ command: fc.constantFrom('x', '', 'y z') }),
      fc.record({ url: fc.constantFrom('http://h/mcp', 'ws://h', 'nonsense://') }),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), body), entries => {
        const map = { mcpServers: { ...entries, 'a valid one': { name: 'the only one of that name', command: 'x' } } };
        const { configs: read, skipped } = expandMcpConfigsFromJson(map);
        expect(read.length + skipped.length).toBe(Object.keys(map.mcpServers).length);
        const keys = new Set(skipped.map(entry => ('key' in entry ? entry.key : '')));
        expect(keys.size).toBe(skipped.length);
      }),
    );
  });

  it('R21: is the only place that knows the keys of the shapes', () => {
    const source = join(import.meta.dirname, '..');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      file =>
        file.endsWith('.ts') &&
        !file.endsWith('.test.ts') &&
        !file.startsWith(join('config', 'dialects')) &&
        // Where our own entry is written into the files of clients; nothing is read by these.
        !file.startsWith(join('config', 'clients')) &&
        file !== join('config', 'expand-mcp-configs.ts'),
    );
    expect(files.length).toBeGreaterThan(20);
    const knowing = files.filter(file => {
      const text = readFileSync(join(source, file), 'utf8');
      // A module that reads single entries must have got them from here, so it has no business with `servers` either.
      const readsServers = text.includes('parseConfigBody') && /['"`]servers['"`]|\.servers\b/.test(text);
      return readsServers || /\bmcpServers\b/.test(text);
    });
    expect(knowing).toEqual([]);
  });
});
