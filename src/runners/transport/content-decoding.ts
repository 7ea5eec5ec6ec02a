import { once } from 'node:events';
import { pipeline, type Readable, type Transform } from 'node:stream';
// Not by name: an older Node lacks zstd, and would fail at import before it can be said which Node is needed.
import zlib from 'node:zlib';
import { LongshoreError } from '../../core/errors.ts';

// What was sent is given on at once, and a body that ends early is as much as came, as browsers do.
const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
const deflate = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };
const brotli = { flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH };

const decoders: Readonly<Record<string, (body: Readable) => Transform | Promise<Transform>>> = {
  gzip: () => zlib.createGunzip(deflate),
  'x-gzip': () => zlib.createGunzip(deflate),
  br: () => zlib.createBrotliDecompress(brotli),
  zstd: () => zlib.createZstdDecompress(),
  deflate: async body => ((await isZlib(body)) ? zlib.createInflate(deflate) : zlib.createInflateRaw(deflate)),
};

/**
 * A body as it was before it was encoded: `content-encoding` is undone in the reverse order. We ask for `identity`, but
 * some servers and what stands before them compress whatever they send. Rejects with `protocol-error` for an encoding
 * that nobody here knows; the body is ended then.
 */
export async function decodedBody(body: Readable, encoding: string | undefined): Promise<Readable> {
  const codings = (encoding ?? '').split(',').map(coding => coding.trim().toLowerCase());
  let decoded = body;
  for (const coding of codings.reverse()) {
    if (coding === '' || coding === 'identity') continue;
    const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (decoder === undefined) {
      body.destroy();
      const message = `It answers in the encoding ${JSON.stringify(coding.slice(0, 40))}, which Longshore does not know and did not ask for.`;
      throw new LongshoreError('protocol-error', message, { data: { mayHaveRun: true } });
    }
    // Both ends learn of what happens at the other; whoever reads is told by the stream itself.
    decoded = pipeline(decoded, await decoder(decoded), () => {});
  }
  return decoded;
}

/** `deflate` is a zlib stream by RFC 9110 and a bare one by some servers; the first byte tells them apart. */
async function isZlib(body: Readable): Promise<boolean> {
  if (body.readableLength === 0 && !body.readableEnded) {
    await Promise.race([once(body, 'readable'), once(body, 'end')]);
  }
  const chunk: unknown = body.read();
  if (!Buffer.isBuffer(chunk)) return true;
  body.unshift(chunk);
  return ((chunk[0] ?? 0) & 0x0f) === 8;
}
