import { LongshoreError } from '../core/errors.ts';

/**
 * Discovery with all its pages within one deadline, in milliseconds (R49). Rejects with `timeout`, with `cancelled`
 * where the caller's signal fired, or as the work does. The signal that the work gets also fires when it is over.
 */
export async function withinDiscovery<Value>(
  limit: number,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    controller.abort(`The lists were not complete after ${limit} ms.`);
  }, limit);
  const cancel = (): void => controller.abort('The listing was cancelled.');
  if (caller.aborted) cancel();
  caller.addEventListener('abort', cancel, { once: true });
  try {
    const value = await work(controller.signal);
    if (caller.aborted) throw new Error('cancelled');
    return value;
  } catch (error) {
    if (caller.aborted) throw cancelled(caller.reason, 'Reading the lists of the server was cancelled.');
    if (!expired) throw error;
    const message = `The server did not give all its tools within ${limit / 1000} s.`;
    throw new LongshoreError('timeout', message, { cause: error });
  } finally {
    clearTimeout(timer);
    caller.removeEventListener('abort', cancel);
    controller.abort();
  }
}

/** The reason itself where it is one of our errors, else `cancelled`. */
export function cancelled(reason: unknown, message: string): LongshoreError {
  return reason instanceof LongshoreError ? reason : new LongshoreError('cancelled', message, { cause: reason });
}
