import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LongshoreHome, longshoreHome } from './longshore-home.ts';
import { fixture } from './run-longshore.ts';

/** What a token of a test is. */
export interface TestCaller {
  readonly name: string;
  readonly token: string;
}

/** A real service in a home of its own, with servers, rules and callers as a test needs them. */
export interface McpHome extends AsyncDisposable {
  readonly home: LongshoreHome;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  /** The process of the service, for its memory. */
  servicePid(): number;
  /** Asks the REST API as the operator; a status of 400 or more is an error. */
  rest(method: string, path: string, body?: unknown): Promise<ReturnType<typeof JSON.parse>>;
  /** Saves a server; its tools are known when this resolves. */
  save(name: string, config: Readonly<Record<string, unknown>>): Promise<void>;
  allow(pattern: string): Promise<void>;
  caller(name: string): Promise<TestCaller>;
}

/** A config of one of the tiny servers in fixtures/servers, over stdio. */
export function stdioFixture(name: string, ...args: readonly string[]): { command: string; args: readonly string[] } {
  return { command: process.execPath, args: [fixture(name), ...args] };
}

/** Starts `serve` on a fresh home. */
export async function mcpHome(env: Record<string, string> = {}): Promise<McpHome> {
  const home = longshoreHome(env);
  const { url } = await home.serve().catch(async (error: unknown) => {
    await home[Symbol.asyncDispose]();
    throw error;
  });
  const origin = new URL(url).origin;
  const operator = (await readFile(join(home.folder, 'operator.token'), 'utf8')).trim();
  const rest: McpHome['rest'] = async (method, path, body) => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    home,
    origin,
    servicePid() {
      const pid = home.servicePid();
      if (pid === undefined) throw new Error('No service runs.');
      return pid;
    },
    rest,
    async save(name, config) {
      await rest('POST', '/api/mcp-servers', { name, ...config });
      await rest('POST', '/api/mcp/load', { ref: name });
    },
    async allow(pattern) {
      await rest('PUT', '/api/rules', { level: 'allow', pattern });
    },
    async caller(name) {
      const { token } = await rest('POST', '/api/tokens', { name });
      return { name, token };
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}
