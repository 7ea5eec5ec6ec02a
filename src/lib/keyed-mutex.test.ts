import { describe, expect, it } from 'vitest';
import { KeyedMutex } from './keyed-mutex.ts';

describe('turns', () => {
  it('R63: tasks that share a name run one at a time in arrival order, others side by side', async () => {
    const turns = new KeyedMutex();
    const seen: string[] = [];
    const gate = Promise.withResolvers<void>();
    const task =
      (name: string, wait: Promise<void> = Promise.resolve()) =>
      async () => {
        seen.push(`${name} begins`);
        await wait;
        seen.push(`${name} ends`);
      };
    const first = turns.run(['a'], task('first', gate.promise));
    const both = turns.run(['a', 'b'], task('both'));
    const behind = turns.run(['b'], task('behind'));
    await turns.run(['c'], task('other'));
    expect(seen).toEqual(['first begins', 'other begins', 'other ends']);
    gate.resolve();
    await Promise.all([first, both, behind]);
    expect(seen.slice(3)).toEqual(['first ends', 'both begins', 'both ends', 'behind begins', 'behind ends']);
  });

  it('a failure is told to its own caller only', async () => {
    const turns = new KeyedMutex();
    const failed = turns.run(['a'], () => Promise.reject(new Error('no')));
    const next = turns.run(['a', 'a'], () => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
