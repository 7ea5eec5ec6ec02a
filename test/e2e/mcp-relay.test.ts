import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RelayingHttp, relayingHttp } from '../fixtures/relaying-http.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';
import { eventually } from './run-longshore.ts';

const long = 60_000;
let home: McpHome;
let modern: RelayingHttp;
let token: string;

beforeAll(async () => {
  modern = await relayingHttp();
  home = await mcpHome();
  await home.save('old', stdioFixture('relaying'));
  await home.save('new', { endpoint: modern.url });
  await home.allow('*');
  ({ token } = await home.caller('client'));
}, long);
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await modern?.[Symbol.asyncDispose]();
});

type Json = ReturnType<typeof JSON.parse>;

/** A client of that server that can do all that servers may ask for, and keeps what it hears. */
async function connect(mode: 'legacy' | 'auto', server: string) {
  const asked: Json[] = [];
  const heard: Json[] = [];
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode },
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params);
    return params.mode === 'url'
      ? { action: 'accept' }
      : { action: 'accept', content: { name: `Ann ${asked.length}` } };
  });
  client.setRequestHandler('sampling/createMessage', ({ params }) => {
    asked.push(params);
    return { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } };
  });
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///srv', name: 'srv' }] }));
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params));
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${home.origin}/mcp/${server}`), { requestInit }));
  return {
    client,
    asked,
    heard,
    call: (name: string, args: Json = {}): Promise<Json> => client.callTool({ name, arguments: args }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const pairs = (['old', 'new'] as const).flatMap(server =>
  (['legacy', 'auto'] as const).map(mode => ({
    server,
    mode,
    pair: `a ${mode === 'auto' ? '2026' : '2025'} client of a ${server === 'new' ? '2026' : '2025'} server`,
  })),
);

describe.each(pairs)('$pair', ({ server, mode }) => {
  it(
    'is asked for a form, for a URL, for a model and for its roots, and its answers reach the server',
    async () => {
      await using connected = await connect(mode, server);
      const form = await connected.call(`${server}__form`);
      expect(JSON.stringify(form)).toContain('"name":"Ann 1"');
      expect(connected.asked[0]).toMatchObject({ message: 'Who?' });
      const url = await connected.call(`${server}__url`);
      expect(JSON.stringify(url)).toContain('"action":"accept"');
      expect(connected.asked[1]).toMatchObject({ mode: 'url', url: 'https://example.com/in' });
      expect(JSON.stringify(await connected.call(`${server}__sample`))).toContain('sampled');
      expect(JSON.stringify(await connected.call(`${server}__roots`))).toContain('file:///srv');
    },
    long,
  );

  it(
    'is asked several things at once, and again and again',
    async () => {
      await using connected = await connect(mode, server);
      const several = JSON.stringify(await connected.call(`${server}__several`));
      expect(several).toContain('"name":"Ann 1"');
      expect(several).toContain('file:///srv');
      const rounds = JSON.stringify(await connected.call(`${server}__rounds`));
      for (const name of ['Ann 2', 'Ann 3', 'Ann 4']) expect(rounds).toContain(name);
      expect(connected.asked.slice(1).map(({ message }) => message)).toEqual(['round 1', 'round 2', 'round 3']);
    },
    long,
  );

  it(
    'is asked in the midst of a prompt',
    async () => {
      await using connected = await connect(mode, server);
      const prompt: Json = await connected.client.getPrompt({ name: `${server}__letter`, arguments: { to: 'Bo' } });
      expect(JSON.stringify(prompt)).toContain('"name":"Ann 1"');
    },
    long,
  );

  it(
    'has its arguments completed and reads what templates stand for',
    async () => {
      await using connected = await connect(mode, server);
      const ref = { type: 'ref/prompt', name: `${server}__letter` } as const;
      const { completion } = await connected.client.complete({ ref, argument: { name: 'to', value: 'B' } });
      expect(completion.values).toEqual(['"B"!']);
      const { contents }: Json = await connected.client.readResource({ uri: `note://from-${server}` });
      expect(contents[0]).toMatchObject({ uri: `note://from-${server}`, text: expect.stringContaining('read') });
    },
    long,
  );

  it(
    'hears the log messages of the level that it asked for',
    async () => {
      await using connected = await connect(mode, server);
      if (mode === 'legacy') await connected.client.setLoggingLevel('info');
      const _meta = mode === 'auto' ? { 'io.modelcontextprotocol/logLevel': 'info' } : {};
      await connected.client.callTool({ name: `${server}__log`, arguments: {}, _meta });
      expect(await eventually(async () => connected.heard.length > 0, 20_000)).toBe(true);
      expect(connected.heard[0]).toMatchObject({ level: 'info' });
    },
    long,
  );

  it(
    'hears that a resource has changed to which it subscribed, and no more once it does not',
    async () => {
      await using connected = await connect(mode, server);
      const uri = `note://listed-${server}-${mode}`;
      const filter = { resourceSubscriptions: [uri] };
      const subscription = mode === 'auto' ? await connected.client.listen(filter) : undefined;
      if (!subscription) await connected.client.subscribeResource({ uri });
      const heard = () => connected.heard.filter(params => params.uri === uri);
      const touch = async (): Promise<boolean> => {
        await connected.call(`${server}__touch`, { uri });
        return heard().length > 0;
      };
      expect(await eventually(touch, 20_000)).toBe(true);
      await (subscription ? subscription.close() : connected.client.unsubscribeResource({ uri }));
      // What was under way when it ended may still come.
      const quiet = async (): Promise<boolean> => {
        const before = heard().length;
        await touch();
        await new Promise(resolve => setTimeout(resolve, 200));
        return heard().length === before;
      };
      expect(await eventually(quiet, 20_000)).toBe(true);
    },
    long,
  );
});

describe('a client that walks away from a question of a 2025 server', () => {
  it(
    'keeps neither itself nor others from being asked',
    async () => {
      const left = new Client(
        { name: 'test', version: '1' },
        {
          versionNegotiation: { mode: 'auto' },
          capabilities: { elicitation: { form: {} } },
          inputRequired: { autoFulfill: false },
        },
      );
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await left.connect(new StreamableHTTPClientTransport(new URL(`${home.origin}/mcp/old`), { requestInit }));
      const asked: Json = await left.callTool({ name: 'old__form', arguments: {} }, { allowInputRequired: true });
      expect(asked.resultType).toBe('input_required');
      await left.close();
      await using again = await connect('auto', 'old');
      expect(JSON.stringify(await again.call('old__form'))).toContain('"name":"Ann 1"');
      const own = token;
      ({ token } = await home.caller('another'));
      await using other = await connect('legacy', 'old');
      token = own;
      expect(JSON.stringify(await other.call('old__form'))).toContain('"name":"Ann 1"');
    },
    long,
  );
});
