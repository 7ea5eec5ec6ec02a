import { once } from 'node:events';
import { get } from 'node:https';
import { connect, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { by, cortexGround, operatorToken } from '../../test/fixtures/cortex-deps.ts';
import { selfSignedCertificate } from '../../test/fixtures/self-signed-certificate.ts';
import { silentLog } from '../core/ports/log.ts';
import { createCortex } from './app.ts';
import type { Bind } from './bind.ts';
import type { CortexApp } from './cortex-env.ts';
import { type Listening, listen } from './listen.ts';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(routes: readonly ((app: CortexApp) => void)[] = [], changes: Partial<Bind> = {}) {
  const ground = await cortexGround();
  const cortex = createCortex(ground.needs, routes);
  const bind = { host: '127.0.0.1', port: 0, allowedHosts: [], insecureHttp: false, ...changes };
  const listening = await listen((request, bindings) => cortex.app.fetch(request, bindings), bind, silentLog);
  ends.push(async () => {
    cortex.close();
    await listening.close(0);
    await ground[Symbol.asyncDispose]();
  });
  return { ground, cortex, ...listening, listening };
}

/** A socket that says what it is told and keeps what it hears. */
async function raw(listening: Listening) {
  const socket = connect(listening.port, '127.0.0.1');
  ends.push(() => void socket.destroy());
  const state = { socket, heard: '', closed: false };
  socket.on('data', (chunk: Buffer) => void (state.heard += chunk.toString()));
  socket.on('close', () => void (state.closed = true));
  socket.on('error', () => {});
  await once(socket, 'connect');
  return state;
}

const request = (path: string, ...more: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${operatorToken}`, ...more].join('\r\n')}\r\n\r\n`;

function held() {
  let release = () => {};
  const promise = new Promise<void>(resolve => void (release = resolve));
  let started = false;
  const route = (app: CortexApp) => {
    app.get('/api/held', async context => {
      started = true;
      await promise;
      return context.json({ done: true });
    });
  };
  return { route, release, started: () => started };
}

describe('a listening Cortex', () => {
  it('answers on loopback at the port it tells, and to its own name only', async () => {
    const { url, port, listening } = await serve();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect(await (await fetch(`${url}/api/health`)).json()).toMatchObject({ name: 'longshore', ready: true });
    expect((await fetch(`${url}/api/openapi.json`)).status).toBe(401);
    const other = await raw(listening);
    other.socket.write('GET /api/health HTTP/1.1\r\nHost: evil.example\r\n\r\n');
    await vi.waitFor(() => expect(other.heard).toContain('HTTP/1.1 421'));
    expect(other.heard).toContain('--allow-host evil.example');
  });

  it('keeps an idle connection for longer than clients do, and says for how long', async () => {
    const { listening } = await serve();
    const client = await raw(listening);
    client.socket.write(request('/api/health', 'Connection: keep-alive'));
    // Many clients keep one for a minute at most; one that is closed first may lose them a request.
    await vi.waitFor(() => expect(client.heard).toMatch(/^keep-alive: timeout=75\r$/im));
  });

  it("leaves an embedding program's Request and Response alone", async () => {
    const before = [globalThis.Request, globalThis.Response];
    const { url } = await serve();
    await (await fetch(`${url}/api/health`)).text();
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  it('takes a body whole or in chunks, and refuses one in chunks that grows too large', async () => {
    const { url, cortex } = await serve();
    const send = (body: string | ReadableStream, token = cortex.signIns.issue()) =>
      fetch(`${url}/api/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body.replace('LINK', token) : body,
        duplex: 'half',
      });
    expect((await send('{"token":"LINK"}')).status).toBe(200);
    const text = new Blob([`{"token":"${cortex.signIns.issue()}"}`]).stream();
    expect((await send(text)).status).toBe(200);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
        if (sent > 64 * 1024 * 1024) controller.close();
      },
    });
    const refused = await send(endless).then(
      response => response.status,
      () => 'cut off',
    );
    expect([413, 'cut off']).toContain(refused);
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a host that is none', 'GET / HTTP/1.1\r\nHost: a b/c\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['another target', 'GET http://evil.example/api/health HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    ['a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
    ['a target that is none', 'GET //[ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'],
    [
      'two lengths',
      'POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
    ],
  ])('survives %s and gives no success for it', async (_, bytes) => {
    const { url, listening } = await serve();
    const rude = await raw(listening);
    rude.socket.write(bytes);
    await vi.waitFor(() => expect(rude.closed || rude.heard.includes('\r\n\r\n')).toBe(true));
    expect(rude.heard).not.toMatch(/^HTTP\/1.1 [23]/);
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
  });

  it('ends the stream of a client that went away', async () => {
    const { url, ground, cortex } = await serve();
    const leaving = new AbortController();
    const headers = by(operatorToken);
    const response = await fetch(`${url}/api/events`, { headers, signal: leaving.signal });
    await response.body?.getReader().read();
    expect(cortex.streams()).toBe(1);
    leaving.abort();
    await vi.waitFor(() => expect(cortex.streams()).toBe(0));
    ground.emit({ type: 'server.state', data: {} });
  });

  it('cuts off a client that does not read its events, and only that one', async () => {
    const { listening, ground, cortex } = await serve();
    const stuck = await raw(listening);
    const lively = await raw(listening);
    stuck.socket.write(request('/api/events'));
    lively.socket.write(request('/api/events'));
    await vi.waitFor(() => expect(cortex.streams()).toBe(2));
    stuck.socket.pause();
    const text = 'x'.repeat(100_000);
    for (let n = 1; cortex.streams() === 2; n++) {
      ground.emit({ type: 'server.state', data: { n, text } });
      await new Promise(resolve => setTimeout(resolve, 1));
      expect(n).toBeLessThan(2_000);
    }
    stuck.socket.resume();
    await vi.waitFor(() => expect(stuck.closed).toBe(true));
    ground.emit({ type: 'server.state', data: { last: 'one' } });
    await vi.waitFor(() => expect(lively.heard).toContain('"last":"one"'));
    expect(lively.closed).toBe(false);
  });
});

describe('closing', () => {
  it('lets a running request finish, ends streams and idle sockets, and frees the port', async () => {
    const slow = held();
    const { url, port, listening, cortex } = await serve([slow.route]);
    const idle = await raw(listening);
    idle.socket.write(request('/api/health'));
    await vi.waitFor(() => expect(idle.heard).toContain('"ready":true'));
    const stream = await raw(listening);
    stream.socket.write(request('/api/events'));
    await vi.waitFor(() => expect(stream.heard).toContain('event: hello'));
    const busy = await raw(listening);
    busy.socket.write(request('/api/held'));
    await vi.waitFor(() => expect(slow.started()).toBe(true));

    cortex.close();
    const closing = listening.close(60_000);
    await vi.waitFor(() => expect([idle.closed, stream.closed]).toEqual([true, true]));
    await expect(fetch(`${url}/api/health`)).rejects.toThrow('fetch failed');
    expect(busy.closed).toBe(false);
    slow.release();
    await closing;
    await vi.waitFor(() => expect(busy.closed).toBe(true));
    expect(busy.heard).toContain('{"done":true}');
    await (await listen(() => new Response(), { ...defaults, port }, silentLog)).close(0);
  });

  it('ends what does not finish within its budget, and joins a second close', async () => {
    const slow = held();
    const { listening } = await serve([slow.route]);
    const busy = await raw(listening);
    busy.socket.write(request('/api/held'));
    const half = await raw(listening);
    half.socket.write('GET /api/health HTTP/1.1\r\n');
    await vi.waitFor(() => expect(slow.started()).toBe(true));
    const first = listening.close(50);
    expect(listening.close(60_000)).toBe(first);
    await first;
    await vi.waitFor(() => expect([busy.closed, half.closed]).toEqual([true, true]));
    slow.release();
  });
});

const defaults: Bind = { host: '127.0.0.1', port: 0, allowedHosts: [], insecureHttp: false };

describe('a bind that cannot be', () => {
  it('on a taken port names the port and the settings that change it', async () => {
    const { port } = await serve();
    await expect(listen(() => new Response(), { ...defaults, port }, silentLog)).rejects.toMatchObject({
      code: 'bad-setting',
      message: expect.stringMatching(new RegExp(`Port ${port} .*--port or LONGSHORE_PORT`)) as string,
    });
  });

  it('on an address of another machine names the setting', async () => {
    const elsewhere = { ...defaults, host: '192.0.2.1', allowedHosts: ['x'], insecureHttp: true };
    await expect(listen(() => new Response(), elsewhere, silentLog)).rejects.toMatchObject({
      code: 'bad-setting',
      message: expect.stringContaining('LONGSHORE_HOST') as string,
    });
  });

  it('beyond loopback is refused before anything listens', async () => {
    await expect(listen(() => new Response(), { ...defaults, host: '0.0.0.0' }, silentLog)).rejects.toMatchObject({
      code: 'bad-setting',
    });
  });
});

describe('TLS', () => {
  it('encrypts, and the address says so', async () => {
    const tls = selfSignedCertificate();
    const { url, port } = await serve([], { tls, host: '127.0.0.1' });
    expect(url).toBe(`https://127.0.0.1:${port}`);
    const asked = get({ host: '127.0.0.1', port, path: '/api/health', ca: tls.cert, servername: 'localhost' });
    const [response] = (await once(asked, 'response')) as [AsyncIterable<Buffer> & { socket: Socket }];
    expect(await json(response as never)).toMatchObject({ name: 'longshore' });
    asked.destroy();
  });

  it.each([
    ['no PEM', () => ({ cert: 'secret-canary', key: 'secret-canary' })],
    ["another's key", () => ({ cert: selfSignedCertificate().cert, key: selfSignedCertificate().key })],
  ])('with %s is refused with the flags to correct and without their content', async (_, files) => {
    const refused = listen(() => new Response(), { ...defaults, tls: files() }, silentLog);
    await expect(refused).rejects.toMatchObject({
      code: 'bad-setting',
      message: expect.stringContaining('--tls-cert and --tls-key') as string,
    });
    await expect(refused).rejects.not.toThrow('canary');
  });
});
