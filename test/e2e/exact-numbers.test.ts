import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';

const structured = '{"id":7960607143101464577,"ratio":0.10000000000000000555,"big":1e400,"one":1.0}';

async function text(world: McpHome, path: string, body: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${world.origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
  });
  return await response.text();
}

describe('numbers that a double does not have (B6)', () => {
  it('pass through every door as the text they came in, and are shown, decided and recorded as that', {
    timeout: 120_000,
  }, async () => {
    await using world = await mcpHome();
    await world.save('big', stdioFixture('big-numbers'));
    await world.allow('big.give');
    await world.allow('big.echo when id = 9007199254740993');
    const { token } = await world.caller('client');
    const operator = readFileSync(join(world.home.folder, 'operator.token'), 'utf8').trim();

    const invoke = (tool: string, args: string) =>
      text(world, '/api/tools/invoke', `{"toolId":"${tool}","arguments":${args},"patience":0}`, {
        authorization: `Bearer ${operator}`,
      });
    expect(await invoke('big__give', '{}')).toContain(structured);
    expect(await invoke('big__echo', '{"id":9007199254740993}')).toContain('{\\"id\\":9007199254740993}');
    // The rule means that number, not its neighbour, which is the same double.
    const held = await invoke('big__echo', '{"id":9007199254740992}');
    expect(held).toContain('approvalId');
    const other = await invoke('big__echo', '{"id":9007199254740995}');
    expect(other).toContain('9007199254740995');
    expect(other).toContain('approvalId');

    const cli = await world.home.run('call', 'big.give', '--json');
    expect(cli.stdout.replace(/\s/g, '')).toContain(structured);
    for (const words of [['id=9007199254740993'], ['--args', '{"id":9007199254740993}']]) {
      expect((await world.home.run('call', 'big.echo', ...words)).stdout).toContain('9007199254740993');
    }

    const initialize = `{"jsonrpc":"2.0","id":9007199254740993,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`;
    const response = await fetch(`${world.origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: initialize,
    });
    expect(await response.text()).toContain('"id":9007199254740993');
    const headers = {
      authorization: `Bearer ${token}`,
      'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-06-18',
    };
    const call = (name: string, args: string) =>
      text(
        world,
        '/mcp',
        `{"jsonrpc":"2.0","id":9007199254740995,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
        headers,
      );
    const given = await call('big__give', '{}');
    expect(given).toContain(structured);
    expect(given).toContain('"id":9007199254740995');
    expect(await call('big__echo', '{"id":9007199254740993}')).toContain('{\\"id\\":9007199254740993}');

    const deep = `${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)}`;
    const refused = await text(
      world,
      '/mcp',
      `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"big__give","arguments":{},"_meta":${deep}}}`,
      headers,
    );
    expect(refused).toContain('nested deeper');

    const record = await world.home.run('audit', 'export');
    expect(record.stdout).toContain('9007199254740993');
  });
});
