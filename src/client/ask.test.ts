import { describe, expect, it } from 'vitest';
import { answeringServer, sendJson } from '../../test/fixtures/answering-server.ts';
import { selfSignedCertificate } from '../../test/fixtures/self-signed-certificate.ts';
import { LongshoreError } from '../core/errors.ts';
import { ask } from './ask.ts';

async function failure(promise: Promise<unknown>): Promise<LongshoreError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof LongshoreError) return error;
    throw error;
  }
  throw new Error('it was answered');
}

const problem = {
  type: 'urn:longshore:problem:unknown-server',
  title: 'unknown server',
  status: 404,
  detail: 'There is no server x.',
  code: 'unknown-server',
  retryable: false,
  data: { near: 'y' },
};

describe('ask', () => {
  it('sends method, path, query, body, token and host, each as it must be, and gives the answer', async () => {
    await using server = await answeringServer((_, response) => sendJson(response, 201, { ok: true }));
    const target = { url: server.url, token: 'lso_t', host: '127.0.0.1' };
    await ask(target, 'PATCH /api/mcp-servers/:ref', {
      params: { ref: 'acme/x:1 ?' },
      agent: 'did:key:z6',
      body: { enabled: true },
    });
    await ask(target, 'GET /api/rules/why', { query: { tool: 'a__b', args: { path: '/srv' } } });
    expect(server.came).toMatchObject([
      {
        method: 'PATCH',
        url: '/api/mcp-servers/acme%2Fx%3A1%20%3F?agent=did%3Akey%3Az6',
        body: '{"enabled":true}',
        headers: { authorization: 'Bearer lso_t', host: '127.0.0.1', 'content-type': 'application/json' },
      },
      { method: 'GET', url: '/api/rules/why?tool=a__b&args=%7B%22path%22%3A%22%2Fsrv%22%7D', body: '' },
    ]);
    expect(server.came[1]?.headers).not.toHaveProperty('content-type');
  });

  it('sends no token where there is none', async () => {
    await using server = await answeringServer((_, response) => sendJson(response, 200, { ready: true }));
    expect(await ask({ url: server.url }, 'GET /api/health')).toEqual({ ready: true });
    expect(server.came[0]?.headers).not.toHaveProperty('authorization');
  });

  it('gives a problem document as the LongshoreError that it was, with its data', async () => {
    await using server = await answeringServer((_, response) => sendJson(response, 404, problem));
    const error = await failure(ask({ url: server.url }, 'GET /api/mcp/status'));
    expect(error).toMatchObject({ code: 'unknown-server', message: 'There is no server x.', data: { near: 'y' } });
  });

  it('keeps the sentence of a newer service whose code it does not know', async () => {
    const newer = { ...problem, code: 'of-a-later-version' };
    await using server = await answeringServer((_, response) => sendJson(response, 400, newer));
    const error = await failure(ask({ url: server.url }, 'GET /api/mcp/status'));
    expect(error).toMatchObject({ code: 'internal', message: 'There is no server x. (of-a-later-version)' });
  });

  it.each([
    ['a page', 200, '<html>'],
    ['an error that is no problem document', 404, '{"error":"x"}'],
    ['a code that objects have by nature', 400, JSON.stringify({ ...problem, code: 'toString', detail: 5 })],
    ['nothing', 200, ''],
  ])('says that something else answers where it is %s', async (_, status, body) => {
    await using server = await answeringServer((_came, response) => void response.writeHead(status).end(body));
    const error = await failure(ask({ url: server.url }, 'GET /api/mcp/status'));
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain('is not Longshore');
  });

  it('says how to start the service where nothing listens', async () => {
    const { url } = await (async () => {
      await using server = await answeringServer(() => undefined);
      return server;
    })();
    const error = await failure(ask({ url }, 'POST /api/mcp/load', { body: { ref: 'x' } }));
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain('longshore serve');
  });

  it('does not say that nothing was done where the service went away after it was asked to do something', async () => {
    await using server = await answeringServer((_, response) => void response.destroy());
    const done = await failure(ask({ url: server.url }, 'POST /api/mcp/load', { body: { ref: 'x' } }));
    expect(done).toMatchObject({ code: 'unknown-outcome' });
    const read = await failure(ask({ url: server.url }, 'GET /api/mcp/status'));
    expect(read).toMatchObject({ code: 'unreachable' });
  });

  it('takes half an answer for none', async () => {
    await using server = await answeringServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"ok":');
      setImmediate(() => response.destroy());
    });
    const error = await failure(ask({ url: server.url }, 'POST /api/service/stop'));
    expect(error.code).toBe('unknown-outcome');
  });

  it('ends when its signal says so, and the service sees it', async () => {
    const gone = Promise.withResolvers<void>();
    const abort = new AbortController();
    await using server = await answeringServer((_, response) => {
      response.on('close', gone.resolve);
      abort.abort();
    });
    const error = await failure(ask({ url: server.url }, 'GET /api/mcp/status', { signal: abort.signal }));
    expect(error.code).toBe('cancelled');
    await gone.promise;
  });

  it('trusts the one certificate that it is told of, and no other', async () => {
    const ours = selfSignedCertificate();
    await using server = await answeringServer((_, response) => sendJson(response, 200, { ready: true }), ours);
    const told = { url: server.url, certificate: ours.cert };
    expect(await ask(told, 'GET /api/health')).toEqual({ ready: true });
    const other = { url: server.url, certificate: selfSignedCertificate().cert };
    expect(await failure(ask(other, 'GET /api/health'))).toMatchObject({ code: 'unreachable' });
    expect(await failure(ask({ url: server.url }, 'GET /api/health'))).toMatchObject({ code: 'unreachable' });
    expect(server.came).toHaveLength(1);
  });
});
