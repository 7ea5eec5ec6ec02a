import type { EventData } from '../api/events.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import { asJson, failureOf } from './problem.ts';
import { readText, send } from './send.ts';
import type { Target } from './target.ts';

/** An event of the service. After `resync` (and after `hello`, for whoever keeps a copy) everything must be read anew. */
export type ServiceEvent =
  | { readonly type: 'hello' | 'resync'; readonly data: { readonly version: string } }
  | { [Type in keyof EventData]: { readonly type: Type; readonly data: EventData[Type] } }[keyof EventData];

/** One event as it stands in the stream. */
interface StreamedEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

/** How often it is tried to come back, a second apart, before the service counts as gone. */
const mostAttempts = 5;

/**
 * The service's events from now on, without end: a stream that breaks is taken up again where it broke. Ends without an
 * error when the signal is aborted; rejects with `unreachable` when the service is gone.
 */
export async function* events(
  target: Target,
  signal: AbortSignal,
  clock: Pick<Clock, 'sleep'> = systemClock,
): AsyncGenerator<ServiceEvent> {
  let lastId: string | undefined;
  let attempts = 0;
  while (!signal.aborted) {
    try {
      for await (const { id, type, data } of openStream(target, lastId, signal)) {
        lastId = id ?? lastId;
        attempts = 0;
        yield { type, data: asJson(data) } as ServiceEvent;
      }
    } catch (error) {
      if (signal.aborted) return;
      attempts += 1;
      if (attempts >= mostAttempts || !isPassing(error)) throw error;
    }
    await clock.sleep(1_000, signal).catch(() => undefined);
  }
}

async function* openStream(
  target: Target,
  lastId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const outgoing = { method: 'GET', path: '/api/events', headers, signal };
  const response = await send(target, outgoing);
  if (response.statusCode !== 200) {
    throw failureOf(response.statusCode ?? 0, await readText(response, target, outgoing), target.url);
  }
  response.setEncoding('utf8');
  let text = '';
  try {
    for await (const chunk of response) {
      text += chunk as string;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = readEvent(block);
        if (event) yield event;
      }
    }
  } catch (error) {
    throw new LongshoreError('unreachable', `The events of ${target.url} have ended.`, { cause: error });
  }
}

/** One block between blank lines; undefined for one without data, such as a heartbeat. */
function readEvent(block: string): StreamedEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    if (at < 1) continue;
    const value = line.slice(at + 1).replace(/^ /, '');
    const before = fields.get(line.slice(0, at));
    fields.set(line.slice(0, at), before === undefined ? value : `${before}\n${value}`);
  }
  const data = fields.get('data');
  return data === undefined ? undefined : { id: fields.get('id'), type: fields.get('event') ?? 'message', data };
}

function isPassing(error: unknown): boolean {
  return error instanceof LongshoreError && error.row.retryable;
}
