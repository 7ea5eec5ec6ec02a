import { describe, expect, it } from 'vitest';
import type { ServerView, StatusAnswer } from '../client/api-types.ts';
import { renderServers } from './render-servers.ts';

function server(changes: Partial<ServerView> = {}): ServerView {
  return {
    serverId: '1',
    server: 'notes',
    name: 'notes',
    kind: 'process',
    config: { command: 'npx', args: ['-y', 'notes'] },
    image: null,
    enabled: true,
    state: 'connected',
    sentence: 'It is connected.',
    action: { label: 'Tools', command: 'longshore tools notes' },
    needsAttention: false,
    lastError: null,
    transport: 'stdio',
    protocol_version: '2026-07-28',
    protocol_reason: null,
    holdings: ['123'],
    tools: [{ toolName: 'add', handleName: 'notes__add', tokenCost: 52 }],
    tokenCost: 52,
    diagnostics: [],
    ...changes,
  };
}

function status(servers: readonly ServerView[], changes: Partial<StatusAnswer> = {}): StatusAnswer {
  return { docker: { state: 'unknown', sentence: '' }, gateway: null, servers, legacy: [], ...changes };
}

const plain = { colour: false, width: undefined };

describe('renderServers', () => {
  it('R33, R45: shows each with its state, tools, their cost, the protocol version, and containers with their id', () => {
    const image = { kind: 'docker-image', image: 'acme/x:v3', holdings: ['0123456789abcdef'] } as const;
    const text = renderServers(status([server(), server({ server: 'x', ...image })]), plain);
    expect(text.split('\n').slice(1)).toEqual([
      'notes   connected      1      52  2026-07-28  process                     npx -y notes',
      'x       connected      1      52  2026-07-28  docker-image  0123456789ab  acme/x:v3',
    ]);
  });

  it('R58: says below what is wrong with each, and the one command that mends it', () => {
    const failed = server({
      state: 'failed',
      needsAttention: true,
      sentence: 'It said:\n\u001b[2Jgone',
      action: { label: 'Restart', command: 'longshore restart notes' },
      protocol_version: null,
      protocol_reason: null,
      tools: [],
    });
    const text = renderServers(status([failed]), plain);
    expect(text).toContain('notes: It said:\\n\\u{1b}[2Jgone\n  Restart: longshore restart notes');
  });

  it('R59, R67: tells of what an older version saved, and that Docker is away where that matters', () => {
    const legacy = [{ name: 'mcp-mcp-time-latest', image: 'mcp/time', sentence: 'Remove it.' }];
    const docker = { state: 'unavailable', sentence: 'The engine does not answer.' } as const;
    const without = renderServers(status([server()], { legacy, docker }), plain);
    expect(without).toContain('mcp-mcp-time-latest: Remove it.');
    expect(without).not.toContain('does not answer');
    expect(renderServers(status([server({ kind: 'docker-run' })], { docker }), plain)).toContain('does not answer');
  });

  it('shows of a remote server its address', () => {
    const remote = server({ kind: 'remote', config: { endpoint: 'https://h/mcp' } });
    expect(renderServers(status([remote]), plain)).toMatch(/remote +https:\/\/h\/mcp/);
  });
});
