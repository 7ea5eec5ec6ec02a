import { describe, expect, it } from 'vitest';
import { approvalView } from '../../test/fixtures/approval-view.ts';
import { recordedTerminal } from '../../test/fixtures/recorded-terminal.ts';
import type { Client } from '../client/client.ts';
import { callTool } from './call-tool.ts';

const tool = {
  name: 'files__write',
  server: 'files',
  tool: 'write',
  toolId: 'mcp:1:write',
  definition: { name: 'write', inputSchema: { properties: { size: { type: 'number' } } } },
  protocol_version: '2025-11-25',
};
const approval = approvalView();
const pending = { approvalId: approval.id, approval };
const result = (text: string, isError = false) => ({
  ok: true,
  toolName: 'files__write',
  success: !isError,
  result: { content: [{ type: 'text', text }], isError },
  executionTimeMs: 1,
  warnings: [],
  dispatchId: 'd',
});

/** A service that knows one tool and answers its calls in turn. */
function service(...answers: readonly unknown[]) {
  const asked: [route: string, body: unknown][] = [];
  const left = [...answers];
  const client = {
    url: 'http://127.0.0.1:7411',
    ask(route: string, given: { readonly body?: unknown }) {
      asked.push([route, given.body]);
      if (route === 'GET /api/tools') return Promise.resolve([tool]);
      return Promise.resolve(route === 'POST /api/tools/invoke' ? left.shift() : approval);
    },
    async *events() {},
  } as unknown as Client;
  return { client, asked };
}

const call = { tool: 'files.write', words: ['size=3'] };
const invocation = { toolId: 'mcp:1:write', arguments: { size: 3 } };

describe('callTool', () => {
  it('reads arguments by the tool’s own schema and prints what it says', async () => {
    const { client, asked } = service(result('done'));
    const terminal = recordedTerminal();
    expect(await callTool(call, client, terminal)).toBe(0);
    expect(terminal.outText()).toBe('done\n');
    expect(asked.at(-1)).toEqual(['POST /api/tools/invoke', invocation]);
  });

  it('hands its limit to the call alone, as idle and as total time', async () => {
    const { client, asked } = service(result('done'));
    await callTool({ ...call, timeout: '5s' }, client, recordedTerminal());
    expect(asked.at(-1)?.[1]).toEqual({ ...invocation, idleTimeout: 5_000, totalTimeout: 5_000 });
  });

  it('asks a person about a call that is held, decides as told, and makes the very same call again', async () => {
    const { client, asked } = service(pending, result('done'));
    const terminal = recordedTerminal({ answers: ['s'] });
    expect(await callTool(call, client, terminal)).toBe(0);
    expect(asked.slice(1)).toEqual([
      ['POST /api/tools/invoke', invocation],
      ['POST /api/approvals/:id', { approve: true, scope: 'session' }],
      ['POST /api/tools/invoke', invocation],
    ]);
    expect(terminal.outText()).toBe('done\n');
  });

  it('makes no second call after a no', async () => {
    const { client, asked } = service(pending);
    const calling = callTool(call, client, recordedTerminal({ answers: ['n'] }));
    await expect(calling).rejects.toMatchObject({ code: 'approval-rejected' });
    expect(asked.at(-1)).toEqual(['POST /api/approvals/:id', { approve: false }]);
  });

  it('says where to decide, and decides nothing, without a person or an answer', async () => {
    for (const terminal of [recordedTerminal(), recordedTerminal({ answers: [''] })]) {
      const { client, asked } = service(pending);
      await expect(callTool(call, client, terminal)).rejects.toMatchObject({
        code: 'approval-pending',
        message: expect.stringContaining(`longshore approve ${approval.id}`),
        data: { approvalId: approval.id, url: 'http://127.0.0.1:7411' },
      });
      expect(asked.map(([route]) => route)).toEqual(['GET /api/tools', 'POST /api/tools/invoke']);
    }
  });

  it('gives exit code 5 for what the tool itself calls a failure, on stderr, and with --json the result as it is', async () => {
    const plain = recordedTerminal();
    expect(await callTool(call, service(result('no such folder', true)).client, plain)).toBe(5);
    expect([plain.outText(), plain.errText()]).toEqual(['', 'longshore: write failed: no such folder\n']);
    const json = recordedTerminal();
    expect(await callTool({ ...call, json: true }, service(result('no', true)).client, json)).toBe(5);
    expect(JSON.parse(json.outText())).toEqual(result('no', true).result);
    expect(JSON.parse(json.errText()).error.code).toBe('tool-error');
  });
});
