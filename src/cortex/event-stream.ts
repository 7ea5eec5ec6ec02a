import { version } from '../core/version.ts';
import type { EventFeed, NumberedEvent } from './event-feed.ts';
import { tooMany } from './limits.ts';

/** Event streams to watchers. */
export interface EventStreams {
  /**
   * A response of server-sent events that begins after `lastEventId`. First comes `hello`, or `resync` where events were
   * lost and the watcher must read everything anew. `onDrop` is called if it was ended because it does not keep up.
   * Throws `too-many-requests`.
   */
  open(lastEventId: string | undefined, onDrop: () => void): Response;
  /** Ends every stream, so that the service can stop; none is opened any more. */
  close(): void;
  /** How many are open. */
  count(): number;
}

/** A comment now and then keeps proxies and sleepy networks from cutting a quiet stream. */
const heartbeatMilliseconds = 15_000;
/** What a watcher may leave unread before it is dropped: it can come back and resume. */
const mostUnread = 256;

const encoder = new TextEncoder();

export function createEventStreams(feed: EventFeed, mostStreams: number): EventStreams {
  const ends = new Set<() => void>();
  let closed = false;

  function open(lastEventId: string | undefined, onDrop: () => void): Response {
    if (closed) throw tooMany('The service is stopping.', 5);
    if (ends.size >= mostStreams) throw tooMany(`${mostStreams} event streams are open already.`, 10);
    const { missed, complete, lastId } = feed.resume(lastEventId);
    let stop = () => {};
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const end = () => {
            stop();
            controller.close();
          };
          const send = (text: string) => {
            if ((controller.desiredSize ?? 0) > 0) {
              controller.enqueue(encoder.encode(text));
            } else {
              end();
              onDrop();
            }
          };
          const unwatch = feed.watch(event => send(eventText(event)));
          const heartbeat = setInterval(() => send(':\n\n'), heartbeatMilliseconds);
          stop = () => {
            unwatch();
            clearInterval(heartbeat);
            ends.delete(end);
          };
          ends.add(end);
          const greeting = { id: lastId, type: complete ? 'hello' : 'resync', data: { version } };
          // The missed ones come as one piece, however many they are: they are no sign of a slow watcher.
          send(`retry: 2000\n\n${missed.map(eventText).join('')}${eventText(greeting)}`);
        },
        cancel: () => stop(),
      },
      new CountQueuingStrategy({ highWaterMark: mostUnread }),
    );
    return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } });
  }

  return {
    open,
    close() {
      closed = true;
      for (const end of ends) end();
    },
    count: () => ends.size,
  };
}

/** JSON has no line breaks of its own, so it is one `data` line. */
function eventText({ id, type, data }: NumberedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
