import { describe, expect, it, vi } from 'vitest';
import { endpointClient } from '../../../test/fixtures/endpoint-client.ts';
import { type Asking, ParkedRequests } from './parked-requests.ts';
import { ResumableRequest } from './resumable-request.ts';

const never = new AbortController().signal;

function asking(id = 'one', args: object = { n: 1 }): Asking {
  return { client: endpointClient(id), method: 'tools/call', params: { name: 'x', arguments: { ...args } } };
}

function waiting(): { request: ResumableRequest; isEnded: () => boolean } {
  let ended = false;
  const request = new ResumableRequest(
    running =>
      new Promise((_, reject) =>
        running.signal.addEventListener('abort', () => {
          ended = true;
          reject(new Error('ended'));
        }),
      ),
  );
  return { request, isEnded: () => ended };
}

describe('requests whose clients are away with questions', () => {
  it('are found once, by their own client, with the very same request', () => {
    const parked = new ParkedRequests();
    const { request } = waiting();
    const state = parked.park(asking(), request);
    for (const other of [asking('two'), asking('one', { n: 2 })]) {
      expect(() => parked.take(state, other)).toThrow('requestState is not known');
    }
    expect(() => parked.take(`${state}x`, asking())).toThrow('requestState is not known');
    expect(parked.take(state, asking())).toBe(request);
    expect(() => parked.take(state, asking())).toThrow('requestState is not known');
  });

  it('end when their client does not come back, and the oldest when one client leaves too many', () => {
    vi.useFakeTimers();
    try {
      const parked = new ParkedRequests();
      const first = waiting();
      parked.park(asking(), first.request);
      for (let count = 0; count < 64; count += 1) parked.park(asking(), waiting().request);
      expect(first.isEnded()).toBe(true);
      const other = waiting();
      parked.park(asking('two'), other.request);
      expect(other.isEnded()).toBe(false);
      vi.advanceTimersByTime(10 * 60_000);
      expect(other.isEnded()).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('end with the token of their client, and others go on', async () => {
    const parked = new ParkedRequests();
    const own = waiting();
    const others = waiting();
    parked.park(asking('one'), own.request);
    const state = parked.park(asking('two'), others.request);
    parked.endAll('one');
    await expect(own.request.next(() => {}, never)).rejects.toThrow('ended');
    expect(own.isEnded()).toBe(true);
    expect(parked.take(state, asking('two'))).toBe(others.request);
    parked.endAll();
  });
});
