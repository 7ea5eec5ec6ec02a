import type { Readable } from 'node:stream';
import type { Clock } from '../../core/clock.ts';

const pause = 50;
const rounds = 20;

/**
 * Resolves when all is read that a process wrote before it exited: when the stream has ended, or, where a grandchild
 * holds its other end, once it was quiet for 50 ms (after a second at the latest). For streams that somebody reads.
 */
export async function drained(stream: Readable, clock: Clock): Promise<void> {
  let read = 0;
  const count = (chunk: Buffer): void => void (read += chunk.length);
  const ended = Promise.withResolvers<'ended'>();
  const end = (): void => ended.resolve('ended');
  if (stream.readableEnded || stream.destroyed) return;
  stream.on('data', count).once('end', end).once('close', end);
  const done = new AbortController();
  try {
    for (let round = 0, before = -1; round < rounds && read !== before; round++) {
      before = read;
      const quiet = clock.sleep(pause, done.signal);
      quiet.catch(() => undefined); // aborted below, when nobody waits for it any more
      if ((await Promise.race([quiet, ended.promise])) === 'ended') return;
      // A busy event loop fires the timer before it reads the pipe: let it read once before calling the pipe quiet.
      await new Promise(setImmediate);
    }
  } finally {
    done.abort();
    stream.off('data', count).off('end', end).off('close', end);
  }
}
