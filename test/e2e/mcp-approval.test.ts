import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';
import { eventually } from './run-longshore.ts';

const long = 60_000;
let home: McpHome;
let token: string;

beforeAll(async () => {
  home = await mcpHome({ LONGSHORE_APPROVAL_PATIENCE: '2' });
  await home.save('held', stdioFixture('two-tools'));
  ({ token } = await home.caller('client'));
}, long);
afterAll(() => home?.[Symbol.asyncDispose]());

interface Told {
  readonly questions: unknown[];
  readonly completed: unknown[];
}

/** A client of that era with those capabilities, which answers every question with that action and tells what it was asked. */
async function connect(mode: 'legacy' | 'auto', elicitation: object | undefined, action = 'accept') {
  const told: Told = { questions: [], completed: [] };
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, capabilities: elicitation ? { elicitation: { ...elicitation } } : {} },
  );
  if (elicitation) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      told.questions.push(params);
      return { action: action as 'accept', ...(params.mode !== 'url' && { content: { approve: true } }) };
    });
  }
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => void told.completed.push(params));
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${home.origin}/mcp`), { requestInit }));
  return { client, told, [Symbol.asyncDispose]: () => client.close() };
}

const call = (text: string) => ({ name: 'held__echo', arguments: { text } });

async function open(): Promise<{ id: string; args: string; caller: string } | undefined> {
  return (await home.rest('GET', '/api/approvals'))[0];
}

async function decide(approve: boolean): Promise<string> {
  await eventually(async () => (await open()) !== undefined, 20_000);
  const id = (await open())?.id ?? '';
  await home.rest('POST', `/api/approvals/${id}`, { approve });
  return id;
}

describe.each(['legacy', 'auto'] as const)('a held call of a %s client', mode => {
  it(
    'that knows nothing gets a plain result with the link after its patience, and runs when it is made again after the approval',
    async () => {
      await using connected = await connect(mode, undefined);
      const text = `plain ${mode}`;
      const waiting = await connected.client.callTool(call(text));
      const id = (await open())?.id ?? '';
      expect(waiting.isError).toBe(true);
      expect(JSON.stringify(waiting.content)).toContain(`${home.origin}/#approval=${id}`);
      expect(JSON.stringify(waiting.content)).toContain(`longshore approve ${id}`);
      await decide(true);
      expect((await connected.client.callTool(call(text))).content).toEqual([{ type: 'text', text }]);
    },
    long,
  );

  it(
    'that listens to progress is told by it where to decide, and gets the result of the very call',
    async () => {
      await using connected = await connect(mode, undefined);
      const messages: string[] = [];
      const text = `progress ${mode}`;
      const calling = connected.client.callTool(call(text), {
        onprogress: ({ message }) => messages.push(message ?? ''),
      });
      const id = await decide(true);
      expect((await calling).content).toEqual([{ type: 'text', text }]);
      expect(messages[0]).toContain(`${home.origin}/#approval=${id}`);
    },
    long,
  );

  it(
    'with forms only is never asked to decide by one, whatever it would answer',
    async () => {
      await using connected = await connect(mode, { form: {} });
      const text = `form ${mode}`;
      const waiting = await connected.client.callTool(call(text));
      expect(waiting.isError).toBe(true);
      expect(connected.told.questions).toEqual([]);
      await decide(false);
      const rejected = await connected.client.callTool(call(text));
      expect(rejected.isError).toBe(true);
      await decide(false);
    },
    long,
  );

  it(
    'with URL elicitation is shown the page, whose opening decides nothing, and gets the result once it is approved',
    async () => {
      await using connected = await connect(mode, { url: {}, form: {} });
      const text = `url ${mode}`;
      const calling = connected.client.callTool(call(text));
      await eventually(async () => connected.told.questions.length > 0, 20_000);
      const id = (await open())?.id ?? '';
      expect(connected.told.questions).toEqual([
        expect.objectContaining({ mode: 'url', url: `${home.origin}/#approval=${id}` }),
      ]);
      // It has opened the page by now, and the question is as open as before.
      expect((await open())?.id).toBe(id);
      await decide(true);
      expect((await calling).content).toEqual([{ type: 'text', text }]);
      // 2026-07-28 has no such notification.
      expect(connected.told.completed).toEqual(mode === 'legacy' ? [{ elicitationId: id }] : []);
    },
    long,
  );

  it(
    'that does not want to see the page is told that the call waits, and nothing has run',
    async () => {
      await using connected = await connect(mode, { url: {} }, 'decline');
      const waiting = await connected.client.callTool(call(`declined ${mode}`));
      expect(waiting.isError).toBe(true);
      expect(JSON.stringify(waiting.content)).toContain('Nothing was called yet');
      await decide(false);
    },
    long,
  );
});
