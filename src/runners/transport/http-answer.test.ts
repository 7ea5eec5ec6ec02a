import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameMeter, refusedAnswer, streamedAnswer } from './http-answer.ts';

const url = new URL('http://127.0.0.1/mcp');
const reply = (...chunks: string[]) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] },
  body: Readable.from(chunks.map(chunk => Buffer.from(chunk))),
});

const same = (text: string): string => text;
/** Messages as they are. */
const plain = {
  body: (text: string): unknown => JSON.parse(text),
  events: () => (chunk: Uint8Array) => Buffer.from(chunk),
};

async function readAll(stream: ReadableStream<Uint8Array> | null): Promise<string> {
  let text = '';
  if (stream !== null) for await (const chunk of stream) text += Buffer.from(chunk).toString();
  return text;
}

describe('an HTTP answer', () => {
  it('is read as JSON, as text or as a stream, whatever its chunks', async () => {
    expect(await streamedAnswer(url, reply('{"a"', ':1}'), same, plain).json()).toEqual({ a: 1 });
    const bytes = Buffer.from('"ä"');
    const split = { ...reply(), body: Readable.from([bytes.subarray(0, 2), bytes.subarray(2)]) };
    expect(await streamedAnswer(url, split, same, plain).text()).toBe('"ä"');
    expect(await readAll(streamedAnswer(url, reply('data: 1\n', '\ndata: 2\n\n'), same, plain).body)).toBe(
      'data: 1\n\ndata: 2\n\n',
    );
  });

  it('keeps status and headers, with the standard words for the status', () => {
    const answer = streamedAnswer(url, reply(), same, plain);
    expect([answer.ok, answer.status, answer.statusText]).toEqual([true, 200, 'OK']);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('set-cookie')).toBe('a=1, b=2');
  });

  it('fails with result-too-large beyond its limit, in JSON and within one event, and never between events', async () => {
    const big = 'x'.repeat(600);
    await expect(streamedAnswer(url, reply(big, big), same, plain, 1000).json()).rejects.toMatchObject({
      code: 'result-too-large',
    });
    await expect(
      readAll(streamedAnswer(url, reply(`data: ${big}`, `${big}\n\n`), same, plain, 1000).body),
    ).rejects.toMatchObject({
      code: 'result-too-large',
    });
    const events = Array.from({ length: 10 }, () => `data: ${big}\n\n`);
    expect(await readAll(streamedAnswer(url, reply(...events), same, plain, 1000).body)).toBe(events.join(''));
  });

  it('of a refusal is cut and cleaned before anybody sees it', async () => {
    const answer = await refusedAnswer(url, { ...reply('secret ', 'y'.repeat(100_000)), statusCode: 500 }, text =>
      text.replace('secret', '[masked]'),
    );
    const text = await answer.text();
    expect(text.startsWith('[masked] yyy')).toBe(true);
    expect(text.length).toBe(32 * 1024);
    expect(answer.ok).toBe(false);
  });

  it('that breaks off is an error, not a short answer', async () => {
    const body = new Readable({ read: () => undefined });
    const text = streamedAnswer(url, { ...reply(), body }, same, plain).text();
    body.push('{"a"');
    body.destroy();
    await expect(text).rejects.toThrow('closed before the answer was complete');
  });

  it('measures events the same however the bytes are cut into chunks', () => {
    const line = fc.stringMatching(/^[a-z:]{2,12}$/);
    const event = fc.array(line, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat(80)),
        (events, end, cuts) => {
          const largest = Math.max(0, ...events.map(lines => lines.join(end).length + end.length));
          const bytes = Buffer.from(events.map(lines => lines.join(end) + end + end).join(''));
          const edges = [0, ...cuts.filter(cut => cut < bytes.length).sort((a, b) => a - b), bytes.length];
          const passes = (limit: number): boolean => {
            const measure = frameMeter(limit);
            return edges.slice(1).every((edge, index) => measure(bytes.subarray(edges[index], edge)));
          };
          // One more, because the \r of a blank line may come alone.
          expect(passes(largest + 1)).toBe(true);
          expect(passes(largest - 1)).toBe(false);
        },
      ),
    );
  });
});
