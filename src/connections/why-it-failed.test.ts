import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../../test/fixtures/connecting.ts';
import { rejection } from '../../test/fixtures/http-client.ts';
import { processSurroundings, survivors } from '../../test/fixtures/process-surroundings.ts';
import { LongshoreError } from '../core/errors.ts';
import { openServer } from '../runners/index.ts';

const around = processSurroundings();
afterEach(async () => expect(await survivors(around)).toEqual([]));

const start = (script: string, open = 15_000) =>
  connect(
    request => openServer({ kind: 'process', command: process.execPath, args: ['-e', script], env: {} }, request),
    { around, openWithin: open },
  );

const failure = async (script: string, open?: number): Promise<LongshoreError> => {
  const error = await rejection(start(script, open));
  if (error instanceof LongshoreError) return error;
  throw error;
};

const usage = Array.from({ length: 40 }, (_, line) => `console.error('  --option-${line}');`).join('');

describe('why a start failed', () => {
  it.each([
    ['U7: an error of Node', "throw new Error('no database');", 'Error: no database'],
    ['U7: a missing module', "require('no-such-module');", "Error: Cannot find module 'no-such-module'"],
    [
      'C3: a reason with a usage text behind it',
      `console.error('API_KEY is required');${usage}process.exit(1);`,
      'API_KEY is required',
    ],
    [
      'C3: a reason with a usage text before it',
      `${usage}console.error('');console.error('Give a key');process.exit(1);`,
      'Give a key',
    ],
  ])('%s is told, and everything is kept for logs', async (_what, script, words) => {
    const { code, message, data } = await failure(script);
    expect([code, message]).toEqual(['failed-to-start', expect.stringContaining(words)]);
    expect(message.split('\n').length).toBeLessThan(12);
    const kept = JSON.stringify(data?.['stderr']);
    expect(kept).toContain(JSON.stringify(words).slice(1, -1));
    expect(kept.includes('  --option-0')).toBe(script.includes('--option-0'));
  });

  it.each([
    ["require('no-such-module');", true],
    ["console.error('SLACK_TOKEN environment variable is required');process.exit(1);", true],
    ["console.error('ConnectionError: the database is away');process.exit(1);", undefined],
  ])('U7: says whether trying again can help: %s', async (script, final) => {
    expect((await failure(script)).data?.['final']).toBe(final);
  });

  it('P6: the first failure is told, and no second start is made after a crash of its own', async () => {
    const { message } = await failure(
      "setTimeout(() => { console.error('Traceback (most recent call last):'); console.error('ConnectionError: no prod'); process.exit(1); }, 300);",
    );
    expect(message).toContain('ConnectionError: no prod');
  });

  it('B14: a server that does not answer in time is told with what it said, that it runs, and the setting', async () => {
    const { code, message } = await failure(
      "console.error('Please log in first: https://x'); console.log('Welcome!'); setInterval(() => {}, 1000);",
      1_500,
    );
    expect(code).toBe('timeout');
    for (const words of [
      'Please log in first: https://x',
      'process runs',
      'no MCP messages, such as "Welcome!"',
      'deadline',
    ]) {
      expect(message).toContain(words);
    }
  });
});

it('P7: a call that its server dies in is told the exit code and the line that says why', async () => {
  const serve = `
    process.stdin.on('data', chunk => String(chunk).split('\\n').filter(Boolean).forEach(line => {
      const { id, method } = JSON.parse(line);
      if (method === 'tools/call') { console.error('ValueError: database is locked'); console.error('+------'); process.exit(3); }
      const result = { initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }, 'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' } }] } }[method];
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'no' } }) }));
    }));`;
  const { call, connection } = await start(serve);
  expect(await rejection(call('go'))).toMatchObject({
    code: 'unknown-outcome',
    message: expect.stringMatching(/exited with code 3\. On stderr it says: ValueError: database is locked/),
  });
  await connection.close();
});
