import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { silentLog } from '../core/ports/log.ts';
import { lastResort } from './last-resort.ts';

function world() {
  const failing = new EventEmitter();
  const logged: string[] = [];
  let broken = 0;
  const log = { ...silentLog, error: (_: object, message: string) => void logged.push(message) };
  const stop = lastResort(failing, log, () => (broken += 1));
  return { failing, logged, stop, broken: () => broken };
}

it('goes on after a connection that failed and a promise that nobody awaited, and says so', () => {
  const { failing, logged, broken } = world();
  const errors = [
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }),
    Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }),
    Object.assign(new Error('write after end'), { code: 'ERR_STREAM_WRITE_AFTER_END' }),
  ];
  for (const error of errors) failing.emit('uncaughtException', error);
  failing.emit('unhandledRejection', new TypeError('x is not a function'));
  expect([logged.length, broken()]).toEqual([4, 0]);
});

it('ends in order, once, after a mistake that may have left something half done', () => {
  const { failing, logged, stop, broken } = world();
  failing.emit('uncaughtException', new TypeError('x is not a function'));
  failing.emit('uncaughtException', 'text');
  expect([logged.length, broken()]).toEqual([2, 1]);
  stop();
  expect(failing.eventNames()).toEqual([]);
});
