import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { endpointClient } from '../../test/fixtures/endpoint-client.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/ports/log.ts';
import { ByteBudget } from '../lib/byte-budget.ts';
import { SocketClient, type SocketDeps } from './socket-endpoint.ts';

/** What a client is answered whose requests come too fast, or hold too much. */
async function answerTo(line: string, more: Partial<SocketDeps>): Promise<{ id: unknown; error: { data: unknown } }> {
  const [near, far] = duplexPair();
  const needs = {
    clock: systemClock,
    log: silentLog,
    mostLine: 1_000,
    bodies: new ByteBudget({ each: 1_000, all: 1_000 }),
    takeOne: () => 0,
    onOpened() {},
    onClosed() {},
    ...more,
  } as unknown as SocketDeps;
  const client = new SocketClient(needs, endpointClient('one'), near, Buffer.alloc(0));
  far.write(`${line}\n`);
  const [answer] = (await once(far, 'data')) as [Buffer];
  await client.end();
  return JSON.parse(answer.toString());
}

const ping = '{"jsonrpc":"2.0","id":"x","method":"ping"}';

describe('a client over stdio', () => {
  it('is held to the rate of its token, line by line', async () => {
    expect(await answerTo(ping, { takeOne: () => 3 })).toMatchObject({
      id: 'x',
      error: { data: { code: 'too-many-requests' } },
    });
  });

  it('is refused what it may not hold', async () => {
    const bodies = new ByteBudget({ each: 10, all: 10 });
    expect(await answerTo(ping, { bodies })).toMatchObject({ id: 'x', error: { data: { code: 'too-many-requests' } } });
  });
});
