import { LongshoreError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Handle, HandleKind } from '../../core/words.ts';
import type { Call } from '../../governance/dispatch/call.ts';
import type { EndpointContext } from '../endpoint-context.ts';
import { type Exchange, progressToken } from '../mcp-client.ts';
import { tellWaiting, type WhereToDecide, whereToDecide } from '../sessions/approval-wait.ts';

/** What a client asks for. */
export interface Wanted {
  readonly kind: HandleKind;
  readonly handle: Handle | string;
  readonly arguments: JsonObject;
  readonly completes?: NonNullable<Call['completes']>;
}

/** The call waits for a decision, and its client for no longer. */
export class StillWaiting extends Error {
  readonly where: WhereToDecide;

  constructor(where: WhereToDecide) {
    super(where.sentence);
    this.where = where;
  }
}

/** A client that can be told nothing while it waits gives up after 20 s and more, and would then not hear where to decide. */
const silent = 15_000;
/** A client that was shown the page waits as long as the question is open. */
const withPage = 60 * 60_000;

/**
 * One call through governed dispatch, with everything that its client can be asked and told while it waits and runs.
 * Resolves with the result verbatim. Rejects as dispatch does, or with `StillWaiting`.
 */
export async function governedCall(ground: EndpointContext, exchange: Exchange, wanted: Wanted): Promise<JsonObject> {
  const { client, signal } = exchange;
  const patience = new AbortController();
  using waiting = new DisposableStack();
  let where: WhereToDecide | undefined;
  let progressed = 0;
  const token = progressToken(exchange);

  const call: Call = {
    agentId: client.agentId,
    caller: client.caller,
    scope: client.scope,
    ...wanted,
    meta: exchange.meta,
    client: {
      identity: exchange.identity,
      era: exchange.era,
      capabilities: exchange.capabilities,
      isThere: () => exchange.isThere(),
      ask: (questions, until) => exchange.ask(questions, until),
      ...logging(exchange),
    },
    onasked(approval) {
      where = whereToDecide(approval, ground.url());
      const limits = { patience: ground.settings.patience, silent, withPage };
      leaveWhenGone(exchange.hungUp, patience, waiting);
      waiting.use(tellWaiting(exchange, where, limits, () => patience.abort()));
    },
    ...(token !== undefined && {
      onprogress(progress) {
        waiting.dispose();
        // What the wait told must not be more than what comes after it.
        if (where !== undefined && progress.progress <= progressed) return;
        progressed = progress.progress;
        exchange.notify('notifications/progress', { ...progress, progressToken: token });
      },
    }),
  };
  try {
    const { result } = await ground.host.dispatch(call, AbortSignal.any([signal, patience.signal]));
    return result;
  } catch (error) {
    const gaveUp = patience.signal.aborted && !signal.aborted && isCode(error, 'cancelled');
    if (where !== undefined && (gaveUp || isCode(error, 'approval-pending'))) throw new StillWaiting(where);
    throw error;
  }
}

/** Whoever hung up while its call waits is not told any more: an approval is for the same call made again. */
function leaveWhenGone(hungUp: AbortSignal | undefined, patience: AbortController, waiting: DisposableStack): void {
  const leave = (): void => patience.abort();
  if (hungUp?.aborted) leave();
  hungUp?.addEventListener('abort', leave, { once: true });
  waiting.defer(() => hungUp?.removeEventListener('abort', leave));
}

function isCode(error: unknown, code: LongshoreError['code']): error is LongshoreError {
  return error instanceof LongshoreError && error.code === code;
}

const logLevelKey = 'io.modelcontextprotocol/logLevel';

/**
 * A client of 2026-07-28 says with each request what it wants to read. One of 2025 says it once; until then it hears what
 * servers say by themselves, as directly.
 */
function logging({ meta, session, notify }: Exchange): Pick<NonNullable<Call['client']>, 'logLevel' | 'onlog'> {
  const level = session === undefined ? meta[logLevelKey] : (session.logLevel ?? 'debug');
  if (typeof level !== 'string') return {};
  return {
    ...(session?.logLevel === undefined && session !== undefined ? {} : { logLevel: level }),
    onlog: params => {
      if (isAtLeast(params.level, level)) notify('notifications/message', params);
    },
  };
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** True for the levels of RFC 5424 that MCP has. */
export function isLogLevel(level: unknown): level is string {
  return typeof level === 'string' && levels.includes(level);
}

/** A message of a level that nobody knows is told. */
export function isAtLeast(level: unknown, lowest: string): boolean {
  const at = levels.indexOf(String(level));
  return at < 0 || at >= levels.indexOf(lowest);
}

/** The lowest of some levels; undefined if there are none. */
export function lowestLevel(wanted: readonly string[]): string | undefined {
  return levels.find(level => wanted.includes(level));
}
