import type { IncomingMessage } from 'node:http';
import { LongshoreError } from '../core/errors.ts';

/** Reads a body as UTF-8. Rejects with `too-large`, before any of it is read where its length is declared. */
export async function readBody(request: IncomingMessage, most: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge(most);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(most: number): LongshoreError {
  return new LongshoreError('too-large', `The body is larger than ${most} bytes, the most that /mcp takes.`, {
    data: { limit: most },
  });
}
