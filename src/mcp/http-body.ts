import type { IncomingMessage } from 'node:http';
import { LongshoreError } from '../core/errors.ts';
import type { HeldBytes } from '../lib/byte-budget.ts';

/**
 * Reads a body as UTF-8. Rejects with `too-large`, before any of it is read where its length is declared, and with
 * `too-many-requests` as soon as its client would hold more than it may.
 */
export async function readBody(request: IncomingMessage, most: number, held: HeldBytes): Promise<string> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > most) throw tooLarge(most);
  if (!held.add(declared)) throw tooMuchHeld();
  const chunks: Buffer[] = [];
  let size = 0;
  // By events: an iterator over the stream costs as much as everything else that is done with a small body.
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  request.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    const isTooMuch = size > declared && !held.add(chunk.byteLength);
    if (size <= most && !isTooMuch) return void chunks.push(chunk);
    // As an iterator does that is left early: nobody reads the rest.
    request.destroy();
    reject(size > most ? tooLarge(most) : tooMuchHeld());
  });
  request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  request.once('error', reject);
  request.once('close', () => {
    if (!request.complete) reject(new LongshoreError('cancelled', 'The client hung up in the midst of its request.'));
  });
  return await promise;
}

/** The refusal of a message for which there is no room before others have been answered. */
export function tooMuchHeld(): LongshoreError {
  return new LongshoreError(
    'too-many-requests',
    'The requests of this client, or of all, that are not answered yet hold too many bytes. Wait until some are done.',
    { data: { retryAfterSeconds: 1 } },
  );
}

function tooLarge(most: number): LongshoreError {
  return new LongshoreError('too-large', `The body is larger than ${most} bytes, the most that /mcp takes.`, {
    data: { limit: most },
  });
}
