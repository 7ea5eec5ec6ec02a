import { describe, expect, it } from 'vitest';
import { LongshoreError } from '../core/errors.ts';
import { engineAway } from './engine-away.ts';

const away = new LongshoreError('docker-unavailable', 'Cannot connect to the Docker daemon.');
const other = new LongshoreError('docker-failed', 'driver failed to remove');

describe('an engine that is away', () => {
  it('is told as it was, where it is the failure itself', () => {
    expect(engineAway(away, 'notes')).toBe(away);
  });

  it.each([
    ['as the cause', new LongshoreError('close-failed', 'It is left.', { cause: away })],
    ['among several failures', new AggregateError([other, new Error('x', { cause: away })])],
    ['deep in both', new Error('x', { cause: new AggregateError([new AggregateError([other, away])]) })],
  ])('R67: is found %s, and told with what to do', (_, error) => {
    expect(engineAway(error, 'notes')).toMatchObject({
      code: 'docker-unavailable',
      message: expect.stringMatching(/notes .* Start Docker/),
      cause: error,
    });
  });

  it.each([
    ['another failure', other],
    ['one with another cause', new LongshoreError('close-failed', 'It is left.', { cause: other })],
    ['something that is no error', 'Cannot connect to the Docker daemon'],
  ])('is not seen in %s', (_, error) => {
    expect(engineAway(error, 'notes')).toBeUndefined();
  });
});
