import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Foreground, type LongshoreHome, longshoreHome } from '../e2e/longshore-home.ts';

/** What a stranger may open a connection with. */
const openings: Readonly<Record<string, string>> = {
  nothing: '',
  'half a request line': 'GET /',
  'half a header': 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half',
  'an upgrade without a name': 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n\r\n',
  'an upgrade to websocket': 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'an upgrade to h2c':
    'GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
  'an upgrade at /mcp': 'GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: mcp-stdio\r\n\r\n',
  'an upgrade with bytes behind it':
    'GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: mcp-stdio\r\n\r\n{"jsonrpc"',
  'a tunnel': 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n',
  'an expectation': 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n',
  'an unknown expectation':
    'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: the-unexpected\r\nContent-Length: 10\r\n\r\n',
  'half a body': 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"half',
  'half a chunk': 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nhalf',
  'a chunk of no size': 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'two lengths': 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  'the first bytes of TLS': '\x16\x03\x01\x02\x00\x01\x00',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'ten requests at once': 'GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(10),
  'a stream of events': 'GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\n\r\n',
  'an endless header': `GET / HTTP/1.1\r\nX: ${'x'.repeat(100_000)}`,
  zeros: '\0'.repeat(1_000),
};

/** How it may break it. */
const breaks: Readonly<Record<string, (socket: Socket) => void>> = {
  'a reset': socket => socket.resetAndDestroy(),
  'an end': socket => socket.end(),
  'a close': socket => socket.destroy(),
};

describe('raw connections without a token', () => {
  let home: LongshoreHome;
  let service: Foreground;
  beforeAll(async () => {
    home = longshoreHome();
    service = await home.serve();
  });
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
  });

  async function opened(text: string): Promise<Socket> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    // What is answered is read, so that nothing waits for us.
    socket.resume();
    await once(socket, 'connect');
    socket.on('error', () => {});
    if (text !== '') socket.write(text, 'latin1');
    return socket;
  }

  const health = async (): Promise<number> =>
    (await fetch(`${service.url}/api/health`, { signal: AbortSignal.timeout(10_000) })).status;

  it.each(Object.keys(openings))(
    'neither end nor stop the service, opened with %s and broken in any way, at once or later',
    {
      timeout: 60_000,
    },
    async opening => {
      const pid = home.servicePid();
      for (const breakIt of Object.values(breaks)) {
        for (const wait of [0, 1, 20]) {
          const sockets = await Promise.all([1, 2, 3].map(() => opened(openings[opening] ?? '')));
          await sleep(wait);
          for (const socket of sockets) breakIt(socket);
        }
      }
      expect(await health()).toBe(200);
      expect(home.servicePid()).toBe(pid);
    },
  );

  it('survive a reset of a client that speaks stdio over its socket', { timeout: 60_000 }, async () => {
    const { token } = (await home.json('token', 'create', 'raw')) as { token: string };
    const head = `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: mcp-stdio\r\n\r\n`;
    for (const line of ['', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n', '{"half', 'no JSON\n', '[]\n', 'null\n']) {
      for (const breakIt of Object.values(breaks)) {
        const socket = await opened(head + line);
        await sleep(20);
        breakIt(socket);
      }
    }
    expect(await health()).toBe(200);
  });

  it('answer a request whose upgrade is not ours as if it had none (RFC 9110, 7.8)', { timeout: 60_000 }, async () => {
    const socket = await opened(openings['an upgrade to h2c'] ?? '');
    const [answer] = await new Promise<Buffer[]>(resolve => socket.once('data', (data: Buffer) => resolve([data])));
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});
