import { request } from 'undici';
import type { Clock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import type { Child } from './child.ts';
import { mcpReady } from './transport/mcp-readiness.ts';

/** What is waited for, and how long: milliseconds in all. */
export interface GatewayWait {
  readonly child: Pick<Child, 'exited'>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly budget: number;
}

/**
 * Settles when the gateway answers MCP with our token and refuses another (R79): a port that accepts, a line of its log or
 * an answer of `/health` proves nothing about who is there. Rejects with `failed-to-start`, or with the signal's reason.
 */
export async function gatewayReady(
  url: URL,
  token: string,
  { child, signal, clock, budget }: GatewayWait,
): Promise<void> {
  const ended = new AbortController();
  void child.exited.then(() =>
    ended.abort(new LongshoreError('failed-to-start', 'The gateway ended before it was ready.')),
  );
  const until = AbortSignal.any([signal, ended.signal]);
  await mcpReady([{ url }], { clock, budget, signal: until, headers: { authorization: `Bearer ${token}` } });
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.slice(1)}x`, 'content-type': 'application/json' },
    body: '{}',
    signal: until,
  });
  await body.dump();
  if (statusCode === 401) return;
  throw new LongshoreError(
    'failed-to-start',
    `The gateway answers ${statusCode} to a wrong token, where it must refuse: any program of this machine could use its servers. It was ended.`,
  );
}
