import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inferTransport, type TransportFacts, transportDiagnostics } from './infer-transport.ts';
import type { MCPServerConfig } from './types.ts';

const codes = (config: TransportFacts) => transportDiagnostics(config).map(diagnostic => diagnostic.code);

describe('inferTransport', () => {
  it('R14: gives what D1 promises for its two examples', () => {
    const docker: MCPServerConfig = {
      name: 'test-mcp',
      command: 'docker',
      args: ['run', '--rm', '-i', 'some-mcp-image'],
    };
    const context7: MCPServerConfig = { name: 'context7', endpoint: 'http://localhost:3000/mcp' };
    expect(inferTransport(docker)).toBe('stdio');
    expect(inferTransport(context7)).toBe('streamable-http');
  });

  it.each<[TransportFacts, ReturnType<typeof inferTransport>, string[]]>([
    [{ command: 'docker' }, 'stdio', []],
    [{ endpoint: 'http://localhost:3000/mcp' }, 'streamable-http', []],
    [{ endpoint: 'http://h/mcp/' }, 'streamable-http', []],
    [{ endpoint: 'http://h/api/v1/mcp?x=1' }, 'streamable-http', []],
    [{ endpoint: 'http://h/mcp/v1' }, 'streamable-http', []],
    [{ endpoint: 'http://h/MCP' }, 'streamable-http', []],
    [{ endpoint: 'h:8080/mcp' }, 'streamable-http', []],
    [{ endpoint: '//mcp.example.com/sse' }, 'sse', []],
    [{ endpoint: 'h/sse?next=http://x/mcp' }, 'sse', []],
    [{ endpoint: 'http://h/sse' }, 'sse', []],
    [{ endpoint: 'http://mcp.host/events' }, 'sse', []],
    [{ endpoint: 'https://h/?next=/mcp' }, 'sse', []],
    [{ endpoint: 'https://h/#/mcp' }, 'sse', []],
    [{ command: 'npx', endpoint: 'http://h/mcp' }, 'stdio', ['ambiguous']],
    [{ command: '  ', endpoint: 'http://h/mcp' }, 'streamable-http', []],
    [{ transport: 'sse', endpoint: 'http://h/mcp' }, 'sse', ['suspicious-transport']],
    [{ transport: 'streamable-http', endpoint: 'http://h/sse/' }, 'streamable-http', ['suspicious-transport']],
    [{ transport: 'streamable-http', endpoint: 'http://h/api' }, 'streamable-http', []],
    [{ transport: 'sse', command: 'npx', endpoint: 'http://h/sse' }, 'sse', ['ambiguous']],
    [{ endpoint: '${env:BASE}/mcp' }, 'streamable-http', []],
    [{ endpoint: '${env:BASE:-https://h.example}/mcp' }, 'streamable-http', []],
    [{ endpoint: 'https://${env:HOST}:${env:PORT}/events' }, 'sse', []],
  ])('R13: %o is %s, with diagnostics %o', (config, transport, expected) => {
    expect(inferTransport(config)).toBe(transport);
    expect(codes(config)).toEqual(expected);
  });

  it('R13: without command and endpoint it says what is needed', () => {
    for (const config of [{}, { command: '' }, { endpoint: ' ', command: '\t' }]) {
      expect(() => inferTransport(config)).toThrow('needs a command to start or an endpoint');
    }
  });

  it('R13: only the path of an endpoint decides, never its host, query or fragment', () => {
    const path = fc.array(fc.constantFrom('a', 'sse', 'v1', 'mcp', 'MCP', 'mcp2', 'xmcp'), { maxLength: 4 });
    const host = fc.constantFrom('h', 'mcp.example.com', 'mcp', '127.0.0.1:3000');
    const rest = fc.constantFrom('', '?x=/mcp', '#/mcp', '?a=b#/mcp');
    fc.assert(
      fc.property(path, host, rest, fc.constantFrom('http://', 'https://', 'HTTPS://', '//', ''), (...parts) => {
        const [segments, name, tail, scheme] = parts;
        const isMcp = segments.some(segment => segment.toLowerCase().startsWith('mcp'));
        const endpoint = `${scheme}${name}/${segments.join('/')}${tail}`;
        expect(inferTransport({ endpoint })).toBe(isMcp ? 'streamable-http' : 'sse');
      }),
    );
  });

  it('R13: what is set explicitly always wins', () => {
    const said = fc.option(fc.constantFrom('npx', ' ', 'http://h/mcp', 'http://h/sse'), { nil: undefined });
    fc.assert(
      fc.property(fc.constantFrom('stdio', 'streamable-http', 'sse'), said, said, (transport, command, endpoint) => {
        expect(
          inferTransport({
            transport,
            ...(command === undefined ? {} : { command }),
            ...(endpoint === undefined ? {} : { endpoint }),
          }),
        ).toBe(transport);
      }),
    );
  });

  it.each(['ws://h/mcp', 'wss://h/mcp', 'ftp://h/mcp', 'http://', 'http://[::1/mcp', 'https://ann:geheim@h/mcp'])(
    'refuses an endpoint that is no plain http or https address: %s, without repeating it',
    endpoint => {
      expect(() => inferTransport({ endpoint })).toThrow(/^endpoint must/);
      expect(() => inferTransport({ endpoint })).not.toThrow(/geheim/);
    },
  );
});
