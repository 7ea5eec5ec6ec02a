import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startupHint } from './startup-url.ts';

const hints: readonly (readonly [line: string, port: number, path: string])[] = [
  ['MCP server listening on http://localhost:3000/mcp', 3000, '/mcp'],
  ['http://localhost:3000', 3000, '/mcp'],
  ['Server running on http://0.0.0.0:8080/', 8080, '/mcp'],
  ['Server running on http://localhost:3000/mcp.', 3000, '/mcp'],
  ['ready: HTTP://LOCALHOST:3000/api/mcp!', 3000, '/api/mcp'],
  ['INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)', 8000, '/mcp'],
  [
    'Context7 Documentation MCP Server running on HTTP at http://localhost:8080/mcp with SSE endpoint at /sse',
    8080,
    '/mcp',
  ],
  ['open <http://[::1]:3000/x/mcp/>', 3000, '/x/mcp'],
  ['listening on [::]:3000', 3000, '/mcp'],
  ['listening on :::3000', 3000, '/mcp'],
  ['Listening on *:3000', 3000, '/mcp'],
  ['Streamable HTTP listening on port 3000', 3000, '/mcp'],
  ['Server started on port: 8931', 8931, '/mcp'],
  ['time=12:30:45 level=info msg="listening on :8080"', 8080, '/mcp'],
  ['serving at 0.0.0.0:9000/sse', 9000, '/sse'],
  ['MCP proxy server listening on http://0.0.0.0:3000/mcp', 3000, '/mcp'],
  ['up and running: http://localhost', 80, '/mcp'],
  ['{"msg":"started","url":"http://localhost:3000/mcp"}', 3000, '/mcp'],
  ['Open http://localhost:3000/mcp?token=abc in your client', 3000, '/mcp'],
];

const noHints: readonly string[] = [
  'GET https://api.github.com:443/x',
  'Using proxy http://proxy.corp:3128',
  'Using proxy http://127.0.0.1:3128',
  'server at 12:30:45',
  'started server at 12:30:45',
  'server started at 2026-01-01T12:30:45Z',
  'connected to database server at db:5432',
  'Connecting to Elasticsearch at http://localhost:9200',
  'GET http://localhost:3000/health 200',
  'Debugger listening on ws://127.0.0.1:9229/3f1a',
  'Debugger listening on http://127.0.0.1:9229/3f1a',
  'Prometheus metrics listening on :9090',
  'listening on http://attacker.example:8080/mcp',
  'listening on http://localhost.attacker.example:8080/mcp',
  'listening on http://localhost@attacker.example:8080/mcp',
  'listening on http://localhost:80@attacker.example/mcp',
  'listening on http://attacker.example:8080/?u=http://localhost:1/mcp',
  'listening on http://127.0.0.1.attacker.example:8080/mcp',
  'listening on https://localhost:3000/mcp',
  'listening on http://localhost:99999/mcp',
  'listening on 10.0.0.5:3000',
  'running version 1.2.3',
  'running on linux',
  'ready in 300 ms',
  '',
];

describe('R9: where a server says that it serves HTTP', () => {
  it.each(hints)('reads %j', (line, port, path) => {
    expect(startupHint(line)).toEqual({ port, path });
  });

  it.each(noHints)('finds nothing in %j', line => {
    expect(startupHint(line)).toBeUndefined();
  });

  it('S10: never takes anything from a line that names only other hosts', () => {
    const host = fc.domain();
    const port = fc.integer({ min: 1, max: 65_535 });
    fc.assert(
      fc.property(host, port, fc.webPath(), (name, number, path) => {
        expect(startupHint(`MCP server listening on http://${name}:${number}${path}`)).toBeUndefined();
      }),
    );
  });

  it('gives a usable port and an absolute path for any line there is, or nothing', () => {
    const words = fc.constantFrom(
      'http://',
      'localhost',
      '0.0.0.0',
      ':',
      '3000',
      '/mcp',
      'listening on',
      ' ',
      'port ',
      '.',
      '[::1]',
      '{',
      '?',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 12 }), parts => {
        const found = startupHint(parts.join(''));
        expect(found === undefined || (found.port >= 1 && found.port <= 65_535 && /^\/\S+$/.test(found.path))).toBe(
          true,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('takes no time to speak of for a hostile line', () => {
    const line = `listening on ${'http://localhost:'.repeat(500)}${'1'.repeat(4000)}`;
    const begun = performance.now();
    startupHint(line);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});
