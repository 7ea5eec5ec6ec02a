import type { Log } from '../core/ports/log.ts';

/** What of a process the last resort listens to; `process` itself, or a test's own. */
export interface FailingProcess {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
  off(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
}

/**
 * For what nobody caught: it is logged, and the service goes on where that cannot have broken anything. A failed
 * connection or pipe that had no listener concerns only itself, and so does a promise that nobody awaits; an exception
 * of any other kind may have left something half done, and then `onBroken` is called, once, to end in order. Returns
 * the way to stop listening.
 */
export function lastResort(failing: FailingProcess, log: Log, onBroken: () => void): () => void {
  let isBroken = false;
  const onRejection = (error: unknown): void => log.error({ err: error }, 'A failure that nobody awaited.');
  const onException = (error: unknown): void => {
    if (isSystemError(error)) return log.error({ err: error }, 'A connection or pipe failed that nobody listened to.');
    log.error({ err: error }, 'A mistake of ours that nobody caught: the service ends its servers and itself.');
    if (!isBroken) onBroken();
    isBroken = true;
  };
  failing.on('unhandledRejection', onRejection);
  failing.on('uncaughtException', onException);
  return () => {
    failing.off('unhandledRejection', onRejection);
    failing.off('uncaughtException', onException);
  };
}

/** What the operating system or a stream says of one connection, file or pipe. */
function isSystemError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return 'syscall' in error || /^(?:HPE_|ERR_STREAM_|ERR_HTTP|ERR_SSL|ERR_TLS|ERR_SOCKET)/.test(error.code);
}
