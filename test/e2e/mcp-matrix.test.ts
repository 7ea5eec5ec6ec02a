import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type HttpFixture, startHttpFixture } from '../fixtures/http-server.ts';
import { type ClientBehaviour, clientKinds, openClient, type TestClient } from '../fixtures/mcp-clients.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';

const upstreams = [
  { upstream: '2025 over stdio', server: 'old' },
  { upstream: '2026-07-28 over HTTP', server: 'new' },
] as const;

const eightMiB = 8 * 1024 * 1024;

let home: McpHome;
let modern: HttpFixture;
let token: string;

beforeAll(async () => {
  modern = await startHttpFixture('matrix-http.js');
  home = await mcpHome();
  await home.save('old', stdioFixture('matrix-stdio'));
  await home.save('new', { endpoint: `${modern.origin}/mcp` });
  await home.allow('*');
  ({ token } = await home.caller('matrix'));
});
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await modern?.[Symbol.asyncDispose]();
});

describe.each(upstreams.flatMap(one => clientKinds.map(kind => ({ ...one, kind }))))(
  'a $kind client of a $upstream server',
  ({ server, kind }) => {
    const tool = (name: string): string => `${server}__${name}`;
    const open = (behaviour?: ClientBehaviour): Promise<TestClient> =>
      openClient(kind, { url: `${home.origin}/mcp`, token }, behaviour);

    it('calls a tool', async () => {
      await using client = await open();
      expect(await client.call(tool('echo'), { text: 'Grüße 🌊' })).toMatchObject({
        content: [{ type: 'text', text: 'Grüße 🌊' }],
      });
    });

    it("is told the server's own error of the protocol, and that there is no such tool", async () => {
      await using client = await open();
      await expect(client.call(tool('broken'))).rejects.toMatchObject({
        code: -31_000,
        message: expect.stringContaining('The fixture is out of order.'),
        data: { part: 7 },
      });
      await expect(client.call(tool('no-such-tool'))).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining('no-such-tool'),
      });
    });

    it('is given a result that is an error as a result', async () => {
      await using client = await open();
      expect(await client.call(tool('fail'))).toMatchObject({
        content: [{ type: 'text', text: 'It did not work.' }],
        isError: true,
      });
    });

    it('hears every step of progress, in order', async () => {
      await using client = await open();
      const heard: (readonly [number, number | undefined])[] = [];
      const result = await client.call(
        tool('slow'),
        { steps: 4, pause: 20 },
        { onprogress: ({ progress, total }) => heard.push([progress, total]) },
      );
      expect(result).toMatchObject({ content: [{ text: 'done' }] });
      expect(heard).toEqual([1, 2, 3, 4].map(step => [step, 4]));
    });

    it('cancels a call, and the server hears it', async () => {
      await using client = await open();
      const id = randomUUID();
      const calling = new AbortController();
      const call = Promise.allSettled([client.call(tool('hang'), { id }, { signal: calling.signal })]);
      // Long enough for the call to be with the server; that it is cancelled there shows that it was.
      await new Promise(resolve => setTimeout(resolve, 300));
      calling.abort(new Error('given up'));
      expect(await call).toMatchObject([{ status: 'rejected' }]);
      await vi.waitFor(async () => expect(JSON.stringify(await client.call(tool('cancelled')))).toContain(id), {
        timeout: 10_000,
        interval: 100,
      });
    });

    it('is told that the list changed, finds the new tool in it, and calls that', async () => {
      const changed = vi.fn<() => void>();
      await using client = await open({ onToolsChanged: changed });
      await client.tools();
      const { content } = await client.call(tool('grow'));
      const grown = tool(content[0].text);
      await vi.waitFor(() => expect(changed).toHaveBeenCalled(), 10_000);
      await vi.waitFor(async () => expect((await client.tools()).map(({ name }) => name)).toContain(grown), {
        timeout: 10_000,
        interval: 100,
      });
      expect(await client.call(grown)).toMatchObject({ content: [{ text: content[0].text }] });
    });

    it('is asked by the server in the middle of a call, and the answer gets there', async () => {
      const elicit = vi.fn<(params: unknown) => unknown>(() => ({ action: 'accept', content: { name: 'Ada' } }));
      await using client = await open({ elicit });
      expect(await client.call(tool('greet'))).toMatchObject({ content: [{ text: 'Hello Ada' }] });
      expect(elicit).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({
          message: 'Who is there?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        }),
      );
    });

    it('is given a result of 8 MiB whole', async () => {
      await using client = await open();
      const { content } = await client.call(tool('big'), { bytes: eightMiB });
      expect(content).toHaveLength(1);
      expect(content[0].text.length).toBe(eightMiB);
    }, 60_000);

    it('is given a structured list, in the shape of its revision', async () => {
      await using client = await open();
      await client.tools();
      const asList = server === 'new' && kind === 'v2 modern';
      expect((await client.call(tool('numbers'))).structuredContent).toEqual(
        asList ? [1, 2, 3] : { result: [1, 2, 3] },
      );
    });

    it('is given an image', async () => {
      await using client = await open();
      expect((await client.call(tool('picture'))).content).toEqual([
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', annotations: { priority: 1 } },
      ]);
    });

    it('is given a link to a resource that no list has, and reads it', async () => {
      await using client = await open();
      const { content } = await client.call(tool('link'));
      expect(content).toMatchObject([{ type: 'resource_link', uri: 'fixture://notes/linked', size: 45 }]);
      expect(await client.read(content[0].uri)).toMatchObject({
        contents: [{ uri: 'fixture://notes/linked', text: 'Nobody would find this note without the link.' }],
      });
    });
  },
);
