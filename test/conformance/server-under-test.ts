import { mcpHome, stdioFixture } from '../e2e/mcp-home.ts';
import { startHttpFixture } from '../fixtures/http-server.ts';
import { startTokenProxy } from '../fixtures/token-proxy.ts';
import type { Profile } from './profile.ts';

/** What the harness is pointed at. */
export interface ServerUnderTest extends AsyncDisposable {
  readonly url: string;
}

/**
 * The real service with the project's own fixture behind it, in the era that is examined: 2025 over stdio, 2026 over
 * HTTP. Its names are plain, because the scenarios name tools; its caller may call everything; and the harness, which
 * has no token, comes through a proxy that adds the caller's.
 */
export async function serverUnderTest(revision: Profile['revision']): Promise<ServerUnderTest> {
  await using starting = new AsyncDisposableStack();
  const home = starting.use(await mcpHome());
  if (revision === '2025-11-25') {
    await home.save('conformance', { ...stdioFixture('conformance-stdio'), names: 'plain' });
  } else {
    const upstream = starting.use(await startHttpFixture('conformance-http.js', { MODERN_ONLY: '1' }));
    await home.save('conformance', { endpoint: `${upstream.origin}/mcp`, names: 'plain' });
  }
  await home.allow('*');
  const { token } = await home.caller('harness');
  const proxy = starting.use(await startTokenProxy(home.origin, token));
  const running = starting.move();
  return { url: `${proxy.origin}/mcp`, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
