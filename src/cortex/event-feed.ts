import type { JsonObject } from '../core/json.ts';
import { Emitter } from '../lib/emitter.ts';

/** Something that changed, for whoever watches: `approval.added`, `server.state`, `tools.changed` … Free of secrets. */
export interface CortexEvent {
  /** Lower-case words joined by dots. */
  readonly type: string;
  readonly data: JsonObject;
}

/** An event with its place in the order of this run of the service. */
export interface NumberedEvent extends CortexEvent {
  /** `<run>.<number>`: what a watcher sends as Last-Event-ID. */
  readonly id: string;
}

/** Where a watcher goes on. */
export interface Resumed {
  /** What it has missed, in order. */
  readonly missed: readonly NumberedEvent[];
  /** False if more was missed than is kept, or the service was restarted: the watcher must read everything anew. */
  readonly complete: boolean;
  /** The id to go on from, even if nothing follows. */
  readonly lastId: string;
}

/** Events in order, the last ones kept for watchers that come back. */
export interface EventFeed {
  publish(event: CortexEvent): void;
  /** Told of every event from now on, in the same tick; returns the way to stop. */
  watch(onEvent: (event: NumberedEvent) => void): () => void;
  /** What came after an id; without one nothing was missed. */
  resume(lastEventId: string | undefined): Resumed;
}

/** How many events are kept: minutes of busy work, some hundred kilobytes. */
const kept = 1_000;

/** A feed of one run; `run` is random, so that ids of an earlier run are known to be of it. */
export function createEventFeed(run: string): EventFeed {
  const recent: NumberedEvent[] = [];
  const emitter = new Emitter<[NumberedEvent]>();
  let count = 0;

  const idOf = (number: number) => `${run}.${number}`;

  return {
    publish(event) {
      count += 1;
      const numbered = { ...event, id: idOf(count) };
      recent.push(numbered);
      if (recent.length > kept) recent.shift();
      emitter.emit(numbered);
    },
    watch: onEvent => emitter.on(onEvent),
    resume(lastEventId) {
      const lastId = idOf(count);
      if (lastEventId === undefined) return { missed: [], complete: true, lastId };
      const number = lastEventId.startsWith(`${run}.`) ? lastEventId.slice(run.length + 1) : '';
      const missing = /^\d+$/.test(number) ? count - Number(number) : -1;
      if (missing < 0 || missing > recent.length) return { missed: [], complete: false, lastId };
      return { missed: missing === 0 ? [] : recent.slice(-missing), complete: true, lastId };
    },
  };
}
