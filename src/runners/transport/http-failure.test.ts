import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connected, rejection, wireTo } from '../../../test/fixtures/http-client.ts';
import { legacyMcp, openStream } from '../../../test/fixtures/http-mcp.ts';
import { serveHttp } from '../../../test/fixtures/http-server.ts';
import type { LongshoreError } from '../../core/errors.ts';
import { hostAndPort, httpFailure } from './http-failure.ts';
import { excerpt, refusalFailure } from './http-refusal.ts';
import { createHttpWire, type HttpWireOptions } from './http-wire.ts';
import { networkFailure } from './network-failure.ts';
import { createSseWire } from './sse-wire.ts';

const kinds = {
  'Streamable HTTP': createHttpWire,
  'HTTP+SSE': (options: HttpWireOptions) => createSseWire({ ...options, endpointTimeout: 5000 }),
};

/** What a start on either wire fails with, in our words. */
async function failures(url: string, more: Partial<HttpWireOptions> = {}): Promise<readonly LongshoreError[]> {
  return Promise.all(
    Object.values(kinds).map(async create => {
      const wire = create(wireTo(url, more));
      const failure = wire.explain(await rejection(connected(wire)));
      await wire.close();
      return failure;
    }),
  );
}

async function listenTcp(onSocket: (socket: Socket) => void): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer(socket => {
    sockets.add(socket.on('error', () => undefined));
    onSocket(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

describe('a server that cannot be reached', () => {
  it('is unreachable, by host and port and in plain words, where nothing listens', async () => {
    const { port } = await listenTcp(() => undefined).then(async server => {
      await server[Symbol.asyncDispose]();
      return server;
    });
    for (const failure of await failures(`http://127.0.0.1:${port}/mcp`)) {
      expect(failure).toMatchObject({ code: 'unreachable', data: { mayHaveRun: false } });
      expect(failure.message).toBe(
        `Cannot reach 127.0.0.1:${port}: nothing listens there. Is the server running, and is the port right?`,
      );
      expect(failure.row.retryable).toBe(true);
    }
  });

  it('is unreachable where its name is unknown', async () => {
    for (const failure of await failures('https://no-such-host.invalid/mcp')) {
      expect(failure).toMatchObject({ code: 'unreachable', data: { mayHaveRun: false } });
      expect(failure.message).toMatch(/^Cannot reach no-such-host\.invalid:443: (?:no such host|the host name)/);
    }
  });

  it('is unreachable where it speaks no TLS, and where it accepts a connection but never finishes it', async () => {
    await using plain = await serveHttp((_request, response) => response.end());
    for (const failure of await failures(plain.origin.replace('http:', 'https:'))) {
      expect(failure).toMatchObject({ code: 'unreachable', data: { mayHaveRun: false } });
      expect(failure.message).toContain('does not speak TLS');
    }
    await using silent = await listenTcp(() => undefined);
    for (const failure of await failures(`https://127.0.0.1:${silent.port}/mcp`, { connectTimeout: 50 })) {
      expect(failure).toMatchObject({ code: 'unreachable', data: { mayHaveRun: false } });
      expect(failure.message).toContain('did not accept a connection in time');
    }
  });

  it('may have acted where it broke the connection off after the request', async () => {
    await using server = await listenTcp(socket => socket.once('data', () => socket.destroy()));
    for (const failure of await failures(`http://127.0.0.1:${server.port}/mcp`)) {
      expect(failure).toMatchObject({ code: 'unreachable', data: { mayHaveRun: true } });
    }
  });

  it('is a protocol error where something else than HTTP answers', async () => {
    await using server = await listenTcp(socket => socket.write('220 mail.example ESMTP\r\n'));
    for (const failure of await failures(`http://127.0.0.1:${server.port}/mcp`)) {
      expect(failure.code).toBe('protocol-error');
      expect(failure.message).toContain('does not speak HTTP');
    }
  });

  it('is explained for every code of Node and undici that is about the network, and for no other', () => {
    for (const code of [
      'ENOTFOUND',
      'ECONNREFUSED',
      'UND_ERR_CONNECT_TIMEOUT',
      'CERT_HAS_EXPIRED',
      'ERR_SSL_NEW_ONE',
    ]) {
      expect(networkFailure(code)).toMatchObject({ mayHaveRun: false });
    }
    for (const code of ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']) expect(networkFailure(code)?.mayHaveRun).toBe(true);
    expect(networkFailure('ENOENT')).toBeUndefined();
  });
});

describe('a server that refuses', () => {
  it('needs a login for 401, and for 403 with a challenge', async () => {
    for (const status of [401, 403]) {
      await using server = await serveHttp((_request, response) =>
        response.writeHead(status, { 'www-authenticate': 'Bearer' }).end('no'),
      );
      for (const failure of await failures(server.origin)) {
        expect(failure).toMatchObject({ code: 'needs-login', data: { status, mayHaveRun: false } });
        expect(failure.message).toContain(`HTTP ${status}`);
      }
    }
  });

  it('is unreachable for now with 5xx and 429, and may have acted with 5xx only', async () => {
    for (const status of [500, 502, 503, 429]) {
      await using server = await serveHttp((_request, response) => response.writeHead(status).end('later'));
      const [failure] = await failures(server.origin);
      expect(failure).toMatchObject({ code: 'unreachable', data: { status, mayHaveRun: status >= 500 } });
      expect(failure?.message).toContain('later');
    }
  });

  it('does not look like MCP where it answers with a page, whatever the status', async () => {
    for (const status of [200, 404, 405]) {
      await using server = await serveHttp((_request, response) => {
        response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end('<!DOCTYPE html><p>hello');
      });
      for (const failure of await failures(server.origin)) {
        expect(failure).toMatchObject({ code: 'protocol-error', data: { status } });
        expect(failure.message).toContain('This does not look like an MCP endpoint');
        expect(failure.message).toContain(`HTTP ${status}`);
        expect(failure.message).toMatch(/text\/html|an HTML page/);
      }
    }
  });

  it('does not look like MCP where its JSON is none, or no JSON-RPC', async () => {
    for (const body of ['{"a":', '{"hello":"world"}', '"text"']) {
      await using server = await serveHttp((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      });
      const [failure] = await failures(server.origin);
      expect(failure?.code).toBe('protocol-error');
      expect(failure?.message).toContain('does not look like an MCP endpoint');
    }
  });

  it('is told in its own words where it speaks JSON-RPC, and with advice where it minds the host name', () => {
    const refused = (status: number, text: string): string =>
      refusalFailure({ status, text, place: 'h:1', session: false, challenged: false }).message;
    expect(refused(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Accept"}}')).toBe(
      'h:1 answers with HTTP 400 Bad Request. It says: Bad Accept',
    );
    expect(refused(421, '')).toContain('allowed hosts');
  });

  it('in words of its own is quoted with at most 500 characters and without control codes', () => {
    expect(excerpt('\u001B[31mred\u001B[0m\r\n\u0007 \u202Eback')).toBe('red back');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), text => {
        const shown = excerpt(text);
        expect(shown.length).toBeLessThanOrEqual(500);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});

describe('secrets', () => {
  it('in headers appear in no error, however hard the server tries', async () => {
    const canary = 'canary-5f1e0c';
    const headers = { Authorization: `Bearer ${canary}`, 'X-Api-Key': 'canary.key+1' };
    const words = `${canary} canary.key+1`;
    const answers: Parameters<typeof serveHttp>[0][] = [
      (_request, response) => response.writeHead(401, words, { 'x-echo': words }).end(words),
      (_request, response) => response.writeHead(404).end(`<html>${words}`),
      (_request, response) => response.writeHead(400).end(JSON.stringify({ error: { code: -1, message: words } })),
      (_request, response) => response.writeHead(500).end(words.repeat(50_000)),
      (_request, response) => response.writeHead(200, { 'content-type': words }).end(words),
      (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`{${words}`),
      (_request, response) => response.writeHead(307, { location: `http://${canary}.example/${words}` }).end(),
      legacyMcp({
        call: (_id, response) => {
          openStream(response);
          response.end(`data: {${words}\n\n`);
        },
      }),
      legacyMcp({ call: (_id, response) => response.writeHead(502, words).end(words) }),
    ];
    for (const answer of answers) {
      await using server = await serveHttp(answer);
      for (const create of Object.values(kinds)) {
        const wire = create(wireTo(server.origin, { headers }));
        const seen: unknown[] = [];
        const attempt = async (): Promise<unknown> => {
          const client = await connected(wire);
          return client.callTool({ name: 'tool', arguments: {} });
        };
        wire.onerror = error => seen.push(error);
        const error = await rejection(attempt());
        await wire.close();
        expect(everything([error, wire.explain(error), ...seen])).not.toMatch(/canary/i);
      }
    }
  });
});

/** Every text that hangs on some values, causes and stacks included. */
function everything(values: readonly unknown[], seen = new Set<unknown>()): string {
  return values
    .map(value => {
      if (typeof value !== 'object' || value === null) return String(value);
      if (seen.has(value)) return '';
      seen.add(value);
      const own = Object.getOwnPropertyNames(value).map(name => Reflect.get(value, name) as unknown);
      return everything(own, seen);
    })
    .join('\n');
}

describe('an explanation', () => {
  const about = {
    url: new URL('https://h.example/mcp?key=q'),
    session: false,
    latestStatus: 200,
    challenged: true,
    hide: (text: string) => text,
  };

  it('is there for anything that can be thrown, and names host and port without the query', () => {
    for (const thrown of [
      new Error('odd'),
      'text',
      undefined,
      { message: 'x' },
      Object.assign(new Error('a'), { cause: 1 }),
    ]) {
      const failure = httpFailure(thrown, about);
      expect(failure.code).toBe('protocol-error');
      expect(failure.message).toContain('h.example:443');
      expect(failure.message).not.toContain('key=q');
    }
    expect(hostAndPort(new URL('http://[::1]/'))).toBe('[::1]:80');
  });

  it('is not fooled by causes that go in circles', () => {
    const error = new Error('round');
    error.cause = error;
    expect(httpFailure(error, about).message).toContain('round');
  });
});
