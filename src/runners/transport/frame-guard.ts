import { LongshoreError } from '../../core/errors.ts';

/**
 * Runs what reads a server's frames: whatever it throws is that server's failure, a `protocol-error`, and nobody else's.
 * Every wire hands its frames on through one (S2).
 */
export function frameGuard(fail: (error: LongshoreError) => void): (read: () => void) => void {
  return read => {
    try {
      read();
    } catch (error) {
      fail(error instanceof LongshoreError && error.code === 'protocol-error' ? error : unexpected(error));
    }
  };
}

function unexpected(cause: unknown): LongshoreError {
  const message = 'The server sent a message that Longshore could not work with, so the connection was given up.';
  return new LongshoreError('protocol-error', message, { cause });
}
