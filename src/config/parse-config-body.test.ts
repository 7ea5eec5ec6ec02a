import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LongshoreError } from '../core/errors.ts';
import { parseConfigBody } from './parse-config-body.ts';
import type { MCPServerConfig } from './types.ts';

function parsed(body: unknown): { config: MCPServerConfig; codes: string[] } {
  const result = parseConfigBody(body);
  if ('error' in result) throw result.error;
  return { config: result.config, codes: result.diagnostics.map(diagnostic => diagnostic.code) };
}

function refused(body: unknown): LongshoreError {
  const result = parseConfigBody(body);
  if ('config' in result) throw new Error(`expected a refusal of ${JSON.stringify(body)}`);
  return result.error;
}

describe('parseConfigBody', () => {
  it('R15: takes every field of the schema as it is', () => {
    const config: MCPServerConfig = {
      name: 'everything',
      command: 'npx',
      args: ['-y', '', 'a,b'],
      env: { TOKEN: '${secret:TOKEN}', EMPTY: '' },
      cwd: '/srv',
      transport: 'stdio',
      deadlines: { open: 20_000, callTotal: 1_000 },
    };
    expect(parsed(config)).toEqual({ config, codes: [] });
    const remote = { name: 'r', endpoint: 'https://h/mcp', headers: { Authorization: 'Bearer ${env:T}' } } as const;
    expect(parsed(remote)).toEqual({ config: remote, codes: [] });
  });

  it('R16: never needs nor adds a transport', () => {
    const config: MCPServerConfig = { name: 'x', command: 'y' };
    expect(parsed(config).config).toEqual({ name: 'x', command: 'y' });
    expect(parsed({ name: 'x', command: 'y', transport: '' }).config).toEqual({ name: 'x', command: 'y' });
  });

  it.each<[string, unknown, string, string]>([
    [
      'an unknown transport',
      { name: 'x', command: 'y', transport: 'foo' },
      'transport',
      'one of stdio, streamable-http, sse',
    ],
    ['websocket', { name: 'x', endpoint: 'http://h', transport: 'websocket' }, 'transport', 'no transport of MCP'],
    ['a websocket endpoint', { name: 'x', endpoint: 'wss://h' }, 'endpoint', 'no transport of MCP'],
    ['a number among the arguments', { name: 'x', command: 'y', args: ['a', 1] }, 'args[1]', 'must be a string'],
    ['arguments in one string', { name: 'x', command: 'y', args: '-y z' }, 'args', 'a list of strings'],
    ['a number in env', { name: 'x', command: 'y', env: { PORT: 3000 } }, 'env.PORT', 'must be a string'],
    [
      'a name no variable can have',
      { name: 'x', command: 'y', env: { 'KEY=geheim': '' } },
      'env',
      'no variable can have',
    ],
    ['__proto__ in env', JSON.parse('{"name":"x","command":"y","env":{"__proto__":"a"}}'), 'env', '__proto__'],
    ['a line break in a header', { name: 'x', endpoint: 'h', headers: { A: 'geheim\nB: c' } }, 'headers.A', 'one line'],
    [
      'a space in a header name',
      { name: 'x', endpoint: 'h', headers: { 'A B': 'c' } },
      'headers',
      'no header can have',
    ],
    ['a NUL in an argument', { name: 'x', command: 'y', args: ['geheim\0'] }, 'args[0]', 'NUL'],
    ['a negative deadline', { name: 'x', command: 'y', deadlines: { open: -1 } }, 'deadlines.open', 'more than 0'],
    ['an unknown deadline', { name: 'x', command: 'y', deadlines: { opening: 1 } }, 'deadlines', 'openLauncher'],
    ['no name', { command: 'y' }, 'name', 'missing'],
    ['neither command nor endpoint', { name: 'x' }, 'command', 'a command to start or an endpoint'],
    ['stdio without command', { name: 'x', endpoint: 'h', transport: 'stdio' }, 'command', 'transport stdio needs it'],
    ['sse without endpoint', { name: 'x', command: 'y', transport: 'sse' }, 'endpoint', 'transport sse needs it'],
    ['a list', [], '', 'must be a JSON object'],
    ['a text', 'x', '', 'must be a JSON object'],
    ['null', null, '', 'must be a JSON object'],
  ])('R15: names the field that is wrong and what is allowed, never the value: %s', (_, body, path, allowed) => {
    const error = refused(body);
    expect(error.code).toBe('bad-config');
    expect(error.data?.['problems']).toMatchObject([{ path }]);
    expect(error.message).toContain(allowed);
    expect(JSON.stringify([error.message, error.data])).not.toContain('geheim');
  });

  it('R15: tells all wrong fields at once', () => {
    const error = refused({ command: 5, args: [1, 'a', null], env: [] });
    expect(error.data?.['problems']).toMatchObject([
      { path: 'name' },
      { path: 'command' },
      { path: 'args[0]' },
      { path: 'args[2]' },
      { path: 'env' },
    ]);
  });

  it.each([' x', 'x ', 'x\u00a0', '\ufeffx', 'a\nb', 'a\u0000b', 'a\u0085b', 'x'.repeat(65), '\ud800'])(
    'R15: a name has 1 to 64 characters without surrounding whitespace or control characters, so not %j',
    name => {
      expect(refused({ name, command: 'y' }).data?.['problems']).toMatchObject([{ path: 'name' }]);
    },
  );

  it('R15: any other name is taken unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), name => {
        fc.pre(
          !/\p{Cc}|^[\p{White_Space}\uFEFF]|[\p{White_Space}\uFEFF]$/u.test(name) && Array.from(name).length <= 64,
        );
        expect(parsed({ name, command: 'y' }).config.name).toBe(name);
      }),
    );
    for (const name of ['__proto__', 'constructor', '𝒳'.repeat(64), 'my server/2']) {
      expect(parsed({ name, command: 'y' }).config.name).toBe(name);
    }
  });

  it('R21: takes url for endpoint, and says which one it uses when they differ', () => {
    expect(parsed({ name: 'x', url: 'http://h/mcp' })).toEqual({
      config: { name: 'x', endpoint: 'http://h/mcp' },
      codes: [],
    });
    expect(parsed({ name: 'x', url: 'http://h/mcp', endpoint: '' }).config.endpoint).toBe('http://h/mcp');
    const both = parsed({ name: 'x', url: 'http://a/mcp', endpoint: 'http://b/mcp' });
    expect(both).toEqual({ config: { name: 'x', endpoint: 'http://b/mcp' }, codes: ['ambiguous'] });
  });

  it('tells of unknown fields and of references that it will not resolve, and keeps the config', () => {
    const { config, codes } = parsed({
      name: 'x',
      command: 'y',
      env: { A: '${input:key}', B: '${env:B}' },
      gallery: true,
    });
    expect(config).toEqual({ name: 'x', command: 'y', env: { A: '${input:key}', B: '${env:B}' } });
    expect(codes).toEqual(['unknown-field', 'unknown-reference']);
  });

  it('R13: passes on what is odd about the transport', () => {
    expect(parsed({ name: 'x', command: 'y', endpoint: 'http://h/mcp' }).codes).toEqual(['ambiguous']);
    expect(parsed({ name: 'x', endpoint: 'http://h/mcp', transport: 'SSE' })).toEqual({
      config: { name: 'x', endpoint: 'http://h/mcp', transport: 'sse' },
      codes: ['suspicious-transport'],
    });
  });

  it('never throws, whatever it is given, and what it accepts it accepts again unchanged', () => {
    fc.assert(
      fc.property(
        fc.record(
          {
            name: fc.oneof(fc.string(), fc.jsonValue()),
            command: fc.oneof(fc.string(), fc.jsonValue()),
            args: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
            env: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.jsonValue()),
            endpoint: fc.oneof(fc.webUrl(), fc.jsonValue()),
            headers: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.jsonValue()),
            transport: fc.oneof(fc.constantFrom('stdio', 'sse', 'streamable-http'), fc.jsonValue()),
            deadlines: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
        body => {
          const first = parseConfigBody(body);
          const config = 'config' in first ? first.config : { name: 'x', command: 'y' };
          expect(parsed(JSON.parse(JSON.stringify(config))).config).toEqual(config);
        },
      ),
    );
  });
});
