import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { type Log, silentLog } from '../core/ports/log.ts';
import { createStderrRing, type StderrRing } from './stderr-ring.ts';

function ringOf(...written: string[]): { ring: StderrRing; logged: string[]; stream: PassThrough } {
  const stream = new PassThrough();
  const logged: string[] = [];
  const log: Log = { ...silentLog, debug: fields => void logged.push((fields as { stderr: string }).stderr) };
  const hide = (line: string): string => line.replaceAll('secret', '[masked]');
  const ring = createStderrRing({ stream, clock: systemClock, log, hide });
  for (const text of written) stream.write(text);
  return { ring, logged, stream };
}

describe('createStderrRing', () => {
  it('keeps lines without control codes and secrets, and logs each', async () => {
    const { ring, logged, stream } = ringOf('\u001B[31mred\u001B[0m secret\r\nhalf', ' a line\nbell\u0007\b!\nlast');
    stream.end();
    await ring.drained();
    expect(ring.tail()).toEqual(['red [masked]', 'half a line', 'bell  !', 'last']);
    expect(logged).toEqual(ring.tail());
  });

  it('keeps the last 200 lines', async () => {
    const { ring, stream } = ringOf(Array.from({ length: 1000 }, (_, line) => `line ${line}\n`).join(''));
    stream.end();
    await ring.drained();
    expect(ring.tail()).toHaveLength(200);
    expect(ring.tail()[0]).toBe('line 800');
    expect(ring.count()).toBe(1000);
  });

  it('keeps no more than 64 KiB, and cuts a long line', async () => {
    const { ring, stream } = ringOf(...Array.from({ length: 100 }, () => `${'x'.repeat(4000)}\n`));
    stream.write(`${'y'.repeat(10_000_000)}\n`);
    stream.end();
    await ring.drained();
    const tail = ring.tail();
    expect(tail.join('').length).toBeLessThanOrEqual(64 * 1024);
    expect(tail.at(-1)).toBe(`${'y'.repeat(1024)}… (10000000 bytes)`);
    expect(tail.at(-2)).toBe('x'.repeat(4000));
  });

  it('counts as drained when the stream is quiet, although somebody holds it', async () => {
    const { ring } = ringOf('last words');
    await ring.drained();
    expect(ring.tail()).toEqual(['last words']);
  });
});
