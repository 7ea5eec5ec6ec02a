import { homedir } from 'node:os';
import type { Duplex } from 'node:stream';
import type { RouteName, Routes } from '../api/routes.ts';
import { readSettings } from '../config/settings.ts';
import { LongshoreError } from '../core/errors.ts';
import { type AskArguments, type Asked, ask } from './ask.ts';
import { events, type ServiceEvent } from './events.ts';
import { findService } from './find-service.ts';
import { upgrade } from './send.ts';
import { startService } from './start-service.ts';
import type { Target } from './target.ts';

/** Which service a client speaks to, and as whom; everything has a default. */
export interface ClientOptions {
  /** The home whose service it is; default: LONGSHORE_HOME or the platform's data folder. */
  readonly home?: string;
  /** A service by its address instead of a home; it needs the token. */
  readonly url?: string;
  /** The operator's token; default: the one in the home. */
  readonly token?: string;
  /** Name or DID of the agent to speak for; default: the home's own. */
  readonly agent?: string;
  /** False: never start the service if none runs, and reject with `unreachable`. */
  readonly start?: boolean;
  /** Milliseconds that a service may take to start; default 30 s. */
  readonly startBudget?: number;
  /** Told once, before a service is started. */
  readonly onStart?: () => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  readonly homeDir?: string;
  /** Ends the start and every request of this client. */
  readonly signal?: AbortSignal;
}

/** As whom a client over stdio connects, and to what. */
export interface StdioClient {
  readonly caller: string;
  /** The caller's own token, where it is at hand; else the operator's is used for a ticket that is good once. */
  readonly token?: string;
  /** The key of the only server that it is to see. */
  readonly server?: string;
}

/** A client of one running service. It holds no connection: nothing has to be closed. */
export interface Client {
  /** Without a slash at the end. */
  readonly url: string;
  /**
   * Asks a route of the REST API, e.g. `client.ask('POST /api/mcp/load', { body: { ref: 'notes' } })`. Rejects with the
   * LongshoreError that the service answered, `unreachable`, `unknown-outcome` or `cancelled`.
   */
  ask<Route extends RouteName>(route: Route, ...asked: AskArguments<Route>): Promise<Routes[Route]['answer']>;
  /**
   * Connects a client that speaks MCP over stdio, as that caller: what is written and read are its lines. Rejects like
   * `ask`.
   */
  stdio(as: StdioClient): Promise<Duplex>;
  /** See `events` in events.ts: all that happens from now on, until the signal is aborted. */
  events(signal: AbortSignal): AsyncIterable<ServiceEvent>;
}

/**
 * Finds the service of a home, starts it if none runs, and gives a client of it. Rejects with `unreachable` where it
 * must not start one, and with what `startService` rejects with.
 */
export async function connectService(options: ClientOptions = {}): Promise<Client> {
  const { token, agent, signal } = options;
  const withToken = (found: Target): Target => ({ ...found, ...(token !== undefined && { token }) });
  let target = withToken(await targetOf(options));

  let hasAnswered = false;

  /**
   * A service that died leaves its note; that nothing listens there shows that nothing was asked either. One that has
   * answered before was stopped, by somebody who would not want it back.
   */
  async function revived(error: unknown): Promise<boolean> {
    if (hasAnswered || options.url !== undefined || options.start === false || !isRefused(error)) return false;
    target = withToken(await started(options));
    return true;
  }

  const client: Client = {
    get url() {
      return target.url;
    },
    async ask<Route extends RouteName>(route: Route, ...[asked]: AskArguments<Route>) {
      const whole = { ...(agent !== undefined && { agent }), ...(signal && { signal }), ...asked } as Asked<Route>;
      const once = async () => {
        const answer = await ask(target, route, ...([whole] as unknown as AskArguments<Route>));
        hasAnswered = true;
        return answer;
      };
      try {
        return await once();
      } catch (error) {
        if (await revived(error)) return await once();
        throw error;
      }
    },
    async stdio({ caller, token: own, server }) {
      const path = server === undefined ? '/mcp' : `/mcp/${encodeURIComponent(server)}`;
      const token = own ?? (await client.ask('POST /api/tokens/:name/tickets', { params: { name: caller } })).ticket;
      return await upgrade({ ...target, token }, path, 'mcp-stdio');
    },
    events: until => events(target, until),
  };
  return client;
}

async function targetOf(options: ClientOptions): Promise<Target> {
  if (options.url !== undefined) return { url: options.url.replace(/\/+$/, '') };
  const home = options.home ?? homeOf(options);
  const found = findService(home);
  if (found.as === 'service') return found.target;
  if (options.start !== false) return await started(options);
  const who = found.as === 'other' ? `process ${found.pid} has the home ${home} and does not listen` : 'none runs';
  throw new LongshoreError('unreachable', `There is no service to ask: ${who}. Start it with: longshore serve`);
}

async function started(options: ClientOptions): Promise<Target> {
  const { signal, startBudget = 30_000, env = process.env, home = homeOf(options) } = options;
  options.onStart?.();
  return await startService({ home, env, budget: startBudget, ...(signal && { signal }) });
}

function isRefused(error: unknown): boolean {
  if (!(error instanceof LongshoreError) || error.code !== 'unreachable') return false;
  return error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'ECONNREFUSED';
}

/** The home that a client of this machine and person means. Throws `bad-setting`. */
export function homeOf(options: Pick<ClientOptions, 'env' | 'platform' | 'homeDir'> = {}): string {
  const { env = process.env, platform = process.platform, homeDir = homedir() } = options;
  return readSettings({ env, platform, homeDir }).settings.home;
}
