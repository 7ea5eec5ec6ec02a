import { describe, expect, it } from 'vitest';
import { createCloser } from './closer.ts';

const never = new AbortController().signal;

/** A closer whose runs are ended by the test. */
function closing() {
  const runs: { resolve(): void; reject(reason: Error): void; hurried: boolean }[] = [];
  const closer = createCloser(hurry => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const run = { resolve, reject, hurried: false };
    runs.push(run);
    void hurry.then(() => {
      run.hurried = true;
    });
    return promise;
  });
  return { closer, runs };
}

describe('createCloser', () => {
  it('makes one run of all calls, and hurries it as soon as one is forced', async () => {
    const { closer, runs } = closing();
    const calls = [closer.gracefully(never), closer.gracefully(never)];
    await Promise.resolve();
    expect(runs).toMatchObject([{ hurried: false }]);
    calls.push(closer.forcibly(never));
    await Promise.resolve();
    expect(runs).toMatchObject([{ hurried: true }]);
    runs[0]?.resolve();
    await Promise.all(calls);
    await closer.forcibly(never);
    expect(runs).toHaveLength(1);
  });

  it('R53: lets a caller go that gives up, and goes on', async () => {
    const { closer, runs } = closing();
    const abort = new AbortController();
    const caller = closer.gracefully(abort.signal);
    abort.abort(new Error('mine'));
    await expect(caller).rejects.toThrow('mine');
    const other = closer.gracefully(never);
    runs[0]?.resolve();
    await other;
    expect(runs).toHaveLength(1);
  });

  it('R54: tells every caller of a failure, and tries again on the next call', async () => {
    const { closer, runs } = closing();
    const calls = [closer.gracefully(never), closer.forcibly(never)];
    runs[0]?.reject(new Error('busy'));
    for (const call of calls) await expect(call).rejects.toThrow('busy');
    const again = closer.gracefully(never);
    runs[1]?.resolve();
    await again;
    expect(closer.closing).toBe(true);
  });
});
