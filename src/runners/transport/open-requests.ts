import { isJsonObject, type JsonValue } from '../../core/json.ts';
import type { Frame } from './wire.ts';

/** The requests that were sent on a wire and not answered or cancelled yet. */
export interface OpenRequests {
  sent(frame: Frame): void;
  answered(frame: Frame): void;
  isOpen(id: number | string): boolean;
}

/** Of one wire. */
export function createOpenRequests(): OpenRequests {
  const open = new Set<unknown>();
  return {
    sent(frame) {
      if (!('method' in frame)) return;
      const { params } = frame as { readonly params?: JsonValue };
      if ('id' in frame) open.add(frame.id);
      else if (frame.method === 'notifications/cancelled' && isJsonObject(params)) open.delete(params.requestId);
    },
    answered(frame) {
      if ('id' in frame) open.delete(frame.id);
    },
    isOpen: id => open.has(id),
  };
}
