import { expect, it } from 'vitest';
import { LongshoreError } from '../core/errors.ts';
import type { Child } from './child.ts';
import type { Container } from './container.ts';
import { endFailed } from './container-failure.ts';

/** A container of which the engine tells that, and what was done to it. */
function container(look: Container['look']) {
  const done: string[] = [];
  const end = (how: string) => () => {
    done.push(how);
    return Promise.resolve();
  };
  const made: Container = {
    name: 'mcp-acme',
    child: undefined as unknown as Child,
    running: () => Promise.reject(new Error('not asked')),
    look,
    reached: () => Promise.resolve(),
    removal: { gracefully: end('removed'), forcibly: end('removed') } as unknown as Container['removal'],
    keepFailed: end('kept'),
  };
  return { made, done };
}

const failure = new LongshoreError('failed-to-start', 'It did not start.');
const facts = { id: 'abc', state: 'exited', running: false } as unknown as Awaited<ReturnType<Container['look']>>;

it.each([
  ['is there', () => Promise.resolve(facts), ['kept'], true],
  ['was never made', () => Promise.resolve(undefined), ['removed'], false],
  ['nobody knows of', () => Promise.reject(new Error('no engine')), ['kept'], false],
] as const)('D13: a container that %s is told as kept only where that was seen', async (_, look, done, told) => {
  const { made, done: what } = container(look);
  const ended = await endFailed(made, failure, { keepsFailed: true });
  expect([what, ended.code, ended.message.includes('is kept')]).toEqual([done, 'failed-to-start', told]);
});
