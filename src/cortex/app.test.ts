import { inspect } from 'node:util';
import { createRoute, z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { by, cortexGround, operatorToken } from '../../test/fixtures/cortex-deps.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import type { Log } from '../core/ports/log.ts';
import { createCortex } from './app.ts';
import type { CortexApp } from './cortex-env.ts';
import { defaultLimits } from './limits.ts';
import { problemResponses, refuseInvalid } from './problem.ts';

const agent = 'did:web:example.org' as AgentId;

/** Routes of every kind of outcome. */
function probes(app: CortexApp): void {
  app.get('/api/who', context => context.json(context.get('principal')));
  app.get('/api/known', () => {
    throw new LongshoreError('name-in-use', 'Taken.', { data: { name: 'x' } });
  });
  app.get('/api/ours', () => {
    throw new TypeError('x of undefined at secret-place');
  });
  const schema = z.object({ name: z.string(), args: z.array(z.object({ n: z.int() })) });
  const body = { required: true, content: { 'application/json': { schema } } };
  const responses = { 200: { description: 'ok', content: { 'application/json': { schema } } }, ...problemResponses };
  app.openapi(
    createRoute({ method: 'post', path: '/api/echo', request: { body }, responses }),
    context => context.json(context.req.valid('json'), 200),
    refuseInvalid('bad-config'),
  );
  const query = z.object({ limit: z.coerce.number().int().optional() });
  app.openapi(createRoute({ method: 'get', path: '/api/list', request: { query }, responses }), context =>
    context.json({ name: String(context.req.valid('query').limit), args: [] }, 200),
  );
}

async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const body = (await response.json()) as { code: string; status: number; detail: string; data?: unknown };
  expect(body.status).toBe(response.status);
  return body;
}

describe('who may ask', () => {
  it('is the operator for the API, by the token of the home or by a signed-in page', async () => {
    await using ground = await cortexGround();
    const { app, signIns } = createCortex(ground.needs, [probes]);
    const direct = await app.request('/api/who', { headers: by(operatorToken) });
    expect(await direct.json()).toEqual({ kind: 'operator', channel: 'token' });
    const exchanged = await app.request('/api/sign-in', {
      method: 'POST',
      headers: by(undefined, { 'content-type': 'application/json' }),
      body: JSON.stringify({ token: signIns.issue() }),
    });
    const { token } = (await exchanged.json()) as { token: string };
    const page = await app.request('/api/who', { headers: by(token) });
    expect(await page.json()).toEqual({ kind: 'operator', channel: 'page' });
    await app.request('/api/sign-out', { method: 'POST', headers: by(token) });
    expect((await app.request('/api/who', { headers: by(token) })).status).toBe(401);
  });

  it('is no client: nothing here answers its token, decisions least of all', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs, [probes]);
    const { token } = await ground.store.callers.create('claude', agent);
    for (const path of ['/api/who', '/api/approvals/1', '/api/sign-in/links', '/api/events', '/api/openapi.json']) {
      const refused = await app.request(path, { method: path.includes('links') ? 'POST' : 'GET', headers: by(token) });
      expect(refused.status).toBe(403);
      expect((await problemOf(refused)).code).toBe('denied');
    }
    await ground.store.callers.revoke('claude');
    expect((await app.request('/api/who', { headers: by(token) })).status).toBe(401);
  });

  it.each([
    ['no token', undefined],
    ['an empty one', 'Bearer '],
    ['another scheme', `Basic ${btoa(`operator:${operatorToken}`)}`],
    ['a wrong one', 'Bearer lso_wrong'],
    ['part of the right one', `Bearer ${operatorToken.slice(0, -1)}`],
    ['two', `Bearer ${operatorToken} ${operatorToken}`],
    ['a link that was not exchanged', 'link'],
  ])('is nobody with %s, on any path that is not open', async (_, authorization) => {
    await using ground = await cortexGround();
    const { app, signIns } = createCortex(ground.needs, [probes]);
    const value = authorization === 'link' ? `Bearer ${signIns.issue()}` : authorization;
    const headers = { ...by(undefined), ...(value !== undefined && { authorization: value }) };
    for (const path of ['/api/who', '/api/nothing', '/api/events', '/api/openapi.json']) {
      const response = await app.request(path, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect((await problemOf(response)).code).toBe('not-signed-in');
    }
  });

  it('is looked for in the header alone: a token in the address or a cookie is none', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs, [probes]);
    for (const name of ['token', 'access_token', 'authorization']) {
      const response = await app.request(`/api/who?${name}=${operatorToken}`, {
        headers: by(undefined, { cookie: `${name}=${operatorToken}` }),
      });
      expect(response.status).toBe(401);
    }
  });

  it('is slowed down when it guesses, without keeping the operator out', async () => {
    await using ground = await cortexGround({ limits: { ...defaultLimits, guesses: { perSecond: 1, burst: 3 } } });
    const { app } = createCortex(ground.needs, [probes]);
    const guess = async () => (await app.request('/api/who', { headers: by('guess') })).status;
    expect([await guess(), await guess(), await guess(), await guess()]).toEqual([401, 401, 401, 429]);
    const links = await app.request('/api/sign-in', {
      method: 'POST',
      headers: by(undefined, { 'content-type': 'application/json' }),
      body: JSON.stringify({ token: 'guess' }),
    });
    expect(links.status).toBe(429);
    expect(links.headers.get('retry-after')).toBe('1');
    expect((await app.request('/api/who', { headers: by(operatorToken) })).status).toBe(200);
    ground.now += 1_000;
    expect(await guess()).toBe(401);
  });
});

describe('where a request comes for and from', () => {
  const allowed = { allowedHosts: ['Harbour.example'] };

  it.each(['127.0.0.1', '127.0.0.1:7411', 'localhost:9999', '[::1]:7411', 'LOCALHOST', 'harbour.example:443'])(
    'may be %s',
    async host => {
      await using ground = await cortexGround(allowed);
      const { app } = createCortex(ground.needs, [probes]);
      expect((await app.request('/api/health', { headers: { host } })).status).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'user@localhost',
    'evil.example/localhost',
    '192.168.1.7:7411',
    '0.0.0.0',
    '',
  ])('may not be %j; the refusal names it and the flag to set', async host => {
    await using ground = await cortexGround(allowed);
    const { app } = createCortex(ground.needs, [probes]);
    for (const path of ['/api/health', '/api/who', '/']) {
      const response = await app.request(path, { headers: { ...by(operatorToken), host } });
      expect(response.status).toBe(421);
      const body = await problemOf(response);
      expect(body.detail).toContain(JSON.stringify(host));
      expect(body.data).toMatchObject({ setting: '--allow-host' });
    }
  });

  it('is told how to allow the name that it came by', async () => {
    await using ground = await cortexGround(allowed);
    const { app } = createCortex(ground.needs);
    const response = await app.request('/api/health', { headers: { host: 'box.lan:7411' } });
    expect((await problemOf(response)).detail).toMatch(/start Longshore with --allow-host box\.lan$/);
  });

  it.each([
    ['http://127.0.0.1:7411', '127.0.0.1:7411'],
    ['https://localhost', 'localhost'],
    ['https://harbour.example', '127.0.0.1:7411'],
    ['https://harbour.example', 'harbour.example'],
  ])('may be a page of %s at the host %s', async (origin, host) => {
    await using ground = await cortexGround(allowed);
    const { app } = createCortex(ground.needs, [probes]);
    expect((await app.request('/api/who', { headers: by(operatorToken, { origin, host }) })).status).toBe(200);
  });

  it.each([
    'http://localhost:3000',
    'http://127.0.0.1:7412',
    'http://evil.example',
    'null',
    'file://',
    '',
    'chrome-extension://x',
  ])('may not be a page of %j, even with the right token', async origin => {
    await using ground = await cortexGround(allowed);
    const { app } = createCortex(ground.needs, [probes]);
    const response = await app.request('/api/who', { headers: by(operatorToken, { origin }) });
    expect(response.status).toBe(403);
    const body = await problemOf(response);
    expect(body.code).toBe('wrong-origin');
    expect(body.detail).toContain(JSON.stringify(origin));
    expect(body.detail).not.toContain('--allow-host localhost');
  });
});

describe('what goes wrong', () => {
  it('is told as a problem document with the code and facts of our error', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs, [probes]);
    const response = await app.request('/api/known', { headers: by(operatorToken) });
    expect(await problemOf(response)).toEqual({
      type: 'urn:longshore:problem:name-in-use',
      title: 'name in use',
      status: 409,
      detail: 'Taken.',
      code: 'name-in-use',
      retryable: false,
      data: { name: 'x' },
    });
  });

  it('by a mistake of ours is logged, and told as no more than that', async () => {
    const logged: object[] = [];
    const log: Log = { debug() {}, info() {}, warn() {}, error: fields => void logged.push(fields) };
    await using ground = await cortexGround({ log });
    const { app } = createCortex(ground.needs, [probes]);
    const response = await app.request('/api/ours', { headers: by(operatorToken) });
    const body = await problemOf(response);
    expect(body).toMatchObject({ status: 500, code: 'internal' });
    expect(JSON.stringify(body)).not.toContain('secret-place');
    expect(inspect(logged)).toContain('secret-place');
  });

  it.each([
    ['a field of the wrong type', { name: 7, args: [] }, [{ path: 'name' }]],
    ['a field deep inside', { name: 'x', args: [{ n: 1 }, { n: 'two' }] }, [{ path: 'args[1].n' }]],
    ['two fields', {}, [{ path: 'name' }, { path: 'args' }]],
    ['no object at all', ['canary'], [{ path: '' }]],
  ])('in a body is told by its path and never by its value: %s', async (_, body, problems) => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs, [probes]);
    const response = await app.request('/api/echo', {
      method: 'POST',
      headers: by(operatorToken, { 'content-type': 'application/json' }),
      body: JSON.stringify(body),
    });
    const told = await problemOf(response);
    expect(told).toMatchObject({ status: 400, code: 'bad-config', data: { in: 'body', problems } });
    expect(JSON.stringify(told)).not.toMatch(/canary|two/);
  });

  it('in a query is wrong usage', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs, [probes]);
    const response = await app.request('/api/list?limit=many', { headers: by(operatorToken) });
    expect(await problemOf(response)).toMatchObject({
      code: 'usage',
      data: { in: 'query', problems: [{ path: 'limit' }] },
    });
  });

  it.each([
    ['no JSON', '{', 'application/json', 400],
    ['nothing', '', 'application/json', 400],
    ['a form', 'name=x', 'application/x-www-form-urlencoded', 415],
    ['text', '{"name":"x","args":[]}', 'text/plain', 415],
  ])('with a body that is %s is a problem document too', async (_, body, type, status) => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs, [probes]);
    const response = await app.request('/api/echo', {
      method: 'POST',
      headers: by(operatorToken, { 'content-type': type }),
      body,
    });
    expect(await problemOf(response)).toMatchObject({ status, code: 'usage' });
  });

  it('with an address that does not exist names it', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs, [probes]);
    for (const [method, path] of [
      ['GET', '/api/nothing'],
      ['DELETE', '/api/known'],
      ['GET', '/etc/passwd'],
    ] as const) {
      const body = await problemOf(await app.request(path, { method, headers: by(operatorToken) }));
      expect(body).toMatchObject({ status: 404, code: 'unknown-route' });
      expect(body.detail).toContain(`${method} ${path}`);
    }
  });
});

describe('every answer', () => {
  it('carries the security headers, refusals and mistakes of ours included', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs, [probes]);
    const responses = [
      await app.request('/api/health', { headers: by(undefined) }),
      await app.request('/api/ours', { headers: by(operatorToken) }),
      await app.request('/api/nothing', { headers: by(operatorToken) }),
      await app.request('/api/who', { headers: by(undefined) }),
      await app.request('/', { headers: { host: 'evil.example' } }),
    ];
    expect(responses.map(response => response.status)).toEqual([200, 500, 404, 401, 421]);
    for (const { headers } of responses) {
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('health', () => {
  it('tells anybody version and readiness, and nothing else', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs);
    const health = async () => (await app.request('/api/health', { headers: by(undefined) })).json();
    expect(await health()).toEqual({ name: 'longshore', version: expect.any(String) as string, ready: true });
    ground.ready = false;
    expect(await health()).toMatchObject({ ready: false });
  });
});

describe('the OpenAPI document', () => {
  it('has every route with its shapes, and says which need no token', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs, [probes]);
    const response = await app.request('/api/openapi.json', { headers: by(operatorToken) });
    const document = (await response.json()) as {
      openapi: string;
      paths: Record<string, Record<string, { security?: unknown[]; responses: Record<string, unknown> }>>;
      components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
    };
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths).sort()).toEqual([
      '/api/echo',
      '/api/events',
      '/api/health',
      '/api/list',
      '/api/sign-in',
      '/api/sign-in/links',
      '/api/sign-out',
    ]);
    const openOnes = Object.entries(document.paths)
      .filter(([, methods]) => Object.values(methods).some(({ security }) => security?.length === 0))
      .map(([path]) => path);
    expect(openOnes.sort()).toEqual(['/api/health', '/api/sign-in']);
    expect(document.components.schemas).toHaveProperty('Problem');
    expect(document.components.securitySchemes).toHaveProperty('bearer');
  });
});

describe('what one may ask for', () => {
  it('is limited for each token in requests a second; another is not touched', async () => {
    const perToken = { perSecond: 10, burst: 2 };
    await using ground = await cortexGround({ limits: { ...defaultLimits, perToken } });
    const { app, signIns } = createCortex(ground.needs, [probes]);
    const page = signIns.exchange(signIns.issue()) ?? '';
    const ask = async (who: string) => (await app.request('/api/who', { headers: by(who) })).status;
    expect([await ask(page), await ask(page), await ask(page)]).toEqual([200, 200, 429]);
    expect(await ask(operatorToken)).toBe(200);
    ground.now += 100;
    expect(await ask(page)).toBe(200);
  });

  it('is limited in requests at the same time, and freed however they end', async () => {
    let release = () => {};
    const held = new Promise<void>(resolve => void (release = resolve));
    await using ground = await cortexGround({ limits: { ...defaultLimits, concurrent: 2 } });
    const { app } = createCortex(ground.needs, [
      probes,
      one => {
        one.get('/api/held', async context => {
          await held;
          if (context.req.query('fail') !== undefined) throw new LongshoreError('timeout', 'Late.');
          return context.json({});
        });
      },
    ]);
    const ask = (path: string) => Promise.resolve(app.request(path, { headers: by(operatorToken) }));
    const running = [ask('/api/held'), ask('/api/held?fail')];
    const third = await ask('/api/who');
    expect(third.status).toBe(429);
    expect(third.headers.get('retry-after')).toBe('1');
    release();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 504]);
    expect((await ask('/api/who')).status).toBe(200);
  });

  it('is limited in the size of a body, of which nothing is read before it is known who asks', async () => {
    await using ground = await cortexGround({ limits: { ...defaultLimits, body: 100 } });
    const { app } = createCortex(ground.needs, [probes]);
    const send = async (size: number, token: string | undefined) => {
      const body = JSON.stringify({ name: 'x'.repeat(size - 21), args: [] });
      const headers = by(token, { 'content-type': 'application/json' });
      const declared = { method: 'POST', headers: { ...headers, 'content-length': String(body.length) }, body };
      const streamed = { method: 'POST', headers, body: new Blob([body]).stream(), duplex: 'half' as const };
      const responses = [await app.request('/api/echo', declared), await app.request('/api/echo', streamed)];
      return [body.length, ...responses.map(({ status }) => status)];
    };
    expect(await send(100, operatorToken)).toEqual([100, 200, 200]);
    expect(await send(101, operatorToken)).toEqual([101, 413, 413]);
    expect(await send(101, undefined)).toEqual([101, 401, 401]);
  });
});
