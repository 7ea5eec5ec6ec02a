import { LongshoreError } from '../core/errors.ts';
import { PausableTimer } from '../lib/pausable-timer.ts';
import type { OnPhase, OpenPhase } from '../runners/runner.ts';
import type { ConnectionRequest } from './connection-request.ts';

/** Phases with deadlines of their own (R49); they do not eat the time for opening and negotiation. */
const ownDeadline: ReadonlySet<OpenPhase> = new Set(['looking-up', 'pulling', 'waiting-ready', 'listing']);

/** The deadline of one start, and what ends it. */
export interface OpeningDeadline extends Disposable {
  /** Fires when the start's own signal does, or when the time is used up. */
  readonly signal: AbortSignal;
  /** The error of a start whose time is used up. */
  readonly expired: LongshoreError | undefined;
  /** Tells the phases on and stands still in those that have their own deadline. */
  readonly onPhase: OnPhase;
}

/** Opening and negotiation together: `milliseconds`, not counting phases with a deadline of their own (R49). */
export function openingDeadline(
  { openWithin: milliseconds, deadlineName }: Pick<ConnectionRequest, 'openWithin' | 'deadlineName'>,
  outer: AbortSignal,
  tell: OnPhase,
): OpeningDeadline {
  const controller = new AbortController();
  let expired: LongshoreError | undefined;
  const timer = new PausableTimer(milliseconds, () => {
    const message = `The server did not start and agree on a protocol version within ${milliseconds / 1000} s. If it needs longer, raise its deadline ${deadlineName}.`;
    expired = new LongshoreError('timeout', message);
    controller.abort(expired);
  });
  const abort = (): void => controller.abort(outer.reason);
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    onPhase(phase, detail) {
      if (ownDeadline.has(phase)) timer.pause();
      else timer.resume();
      tell(phase, detail);
    },
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      outer.removeEventListener('abort', abort);
    },
  };
}
