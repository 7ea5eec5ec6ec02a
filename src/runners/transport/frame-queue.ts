import { isResponse } from './frames.ts';
import type { Frame } from './wire.ts';

export interface FrameQueue {
  push(frame: Frame): void;
  /** Says that there may be a consumer now. */
  wake(): void;
  /** Calls back once, when everything that was pushed has been delivered or nobody is there to take it. */
  whenDone(done: () => void): void;
}

/**
 * Hands frames to a consumer in the order in which they came. A request or notification goes at once; a response waits
 * one macrotask, because the SDK dispatches notifications in a microtask and responses right away, so that progress
 * which came in the same chunk as its response would be lost. While there is no consumer they wait.
 */
export function createFrameQueue(consumer: () => ((frame: Frame) => void) | undefined): FrameQueue {
  let waiting: Frame[] = [];
  let scheduled = false;
  let done: (() => void) | undefined;

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(drain);
  };

  function drain(): void {
    scheduled = false;
    let next = 0;
    let notified = false;
    try {
      for (; next < waiting.length; ) {
        const deliver = consumer();
        const frame = waiting[next];
        if (deliver === undefined || frame === undefined || (notified && isResponse(frame))) break;
        next++;
        notified ||= !isResponse(frame);
        deliver(frame);
      }
    } finally {
      waiting = waiting.slice(next);
      const stuck = consumer() === undefined;
      if (waiting.length > 0 && !stuck) schedule();
      else if (done !== undefined) {
        const call = done;
        done = undefined;
        call();
      }
    }
  }

  return {
    push(frame) {
      const deliver = consumer();
      if (waiting.length === 0 && deliver !== undefined && !isResponse(frame)) {
        deliver(frame);
      } else {
        waiting.push(frame);
        if (deliver !== undefined) schedule();
      }
    },
    wake: schedule,
    whenDone(call) {
      done = call;
      schedule();
    },
  };
}
