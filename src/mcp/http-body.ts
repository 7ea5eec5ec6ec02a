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
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge(most);
    if (size > declared && !held.add(chunk.byteLength)) throw tooMuchHeld();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
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
