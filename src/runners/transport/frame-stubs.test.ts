import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameStubs, type FrameStubs } from './frame-stubs.ts';
import { unreadableAnswer } from './frames.ts';
import type { Frame } from './wire.ts';

const nobody = (): undefined => undefined;

/** What the SDK would make of a stream, with the message in the place of each stub. */
function readStream(stubs: FrameStubs, bytes: Uint8Array, cuts: readonly number[]): readonly unknown[] {
  const stubbed = stubs.events();
  const places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
  const text = chunks.map(chunk => Buffer.from(stubbed(chunk) ?? []).toString()).join('');
  const data = text.split('\n').flatMap(line => (line.startsWith('data: {') ? [line.slice(6)] : []));
  return data.map(line => stubs.taken(JSON.parse(line) as Frame));
}

describe('stubs in place of the messages of HTTP answers', () => {
  it('B6: carry a body round the SDK as it was written', () => {
    const stubs = createFrameStubs(() => 1);
    const text = '{"jsonrpc":"2.0","id":1,"result":{"a":9007199254740993,"b":1.0}}';
    const [stub] = stubs.body(text) as readonly Frame[];
    expect(JSON.stringify(stub)).not.toContain('9007');
    expect(JSON.stringify(stubs.taken(stub as Frame))).toBe(text);
    expect(stubs.taken(stub as Frame)).not.toMatchObject({ result: { a: expect.anything() } });
  });

  it('P3: read what no JSON parser reads, and say so', () => {
    const stubs = createFrameStubs(() => 1);
    const [stub] = stubs.body('{"jsonrpc":"2.0","id":"1","result":{"a":NaN}}') as readonly Frame[];
    expect(stubs.taken(stub as Frame)).toEqual({ jsonrpc: '2.0', id: 1, result: { a: null } });
    expect(stubs.oddities()).toMatchObject([{ code: 'not-a-number', data: { count: 1 } }]);
  });

  it.each([
    ['[{"jsonrpc":"2.0","id":9,"result":{}}]', 'of another request'],
    ['{"jsonrpc":"2.0","method":"x"}', 'none'],
  ])('answer a request whose body holds an answer that is %s', text => {
    const stubs = createFrameStubs(() => 1);
    const frames = (stubs.body(text) as readonly Frame[]).map(stub => stubs.taken(stub));
    expect(frames.at(-1)).toMatchObject({ id: 1, error: { code: unreadableAnswer } });
  });

  it('give an error without an id to the request in whose answer it came', () => {
    const stubs = createFrameStubs(() => 7);
    const [stub] = stubs.body('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}') as readonly Frame[];
    expect(stubs.taken(stub as Frame)).toMatchObject({ id: 7, error: { code: -32_700 } });
  });

  it.each(['', 'null', '[]', '<html>', '{"a":1}'])('refuse a body that holds no message: %j', text => {
    expect(() => createFrameStubs(nobody).body(text)).toThrow(SyntaxError);
  });

  it('carry every event of a stream, however it is written and cut', () => {
    const frame = (id: number) => ({ jsonrpc: '2.0', id, result: { text: `ä\u2028${id}` } });
    fc.assert(
      fc.property(
        fc.nat(5),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.constantFrom('', 'id: 5', 'event: message', ': comment', 'retry: 10'),
        fc.array(fc.nat()),
        (count, end, head, cuts) => {
          const frames = Array.from({ length: count }, (_, index) => frame(index));
          const lines = frames.flatMap(one => [...(head === '' ? [] : [head]), `data: ${JSON.stringify(one)}`, '']);
          const bytes = Buffer.from(lines.map(line => line + end).join(''));
          // A stream that ends in \r may go on with \n.
          const whole = end === '\r' ? Buffer.concat([bytes, Buffer.from(':\r')]) : bytes;
          expect(readStream(createFrameStubs(nobody), whole, cuts)).toEqual(frames);
        },
      ),
    );
  });

  it('leave other events and the place in the stream as they are, and what is no message out', () => {
    const stubs = createFrameStubs(nobody);
    const stubbed = stubs.events();
    const text =
      'event: endpoint\ndata: /messages\n\nid: 3\ndata: not a message\n\nid: 4\ndata:\n\ndata: null\n\nretry: 7\n\n';
    expect(Buffer.from(stubbed(Buffer.from(text)) ?? []).toString()).toBe(
      'event: endpoint\ndata: /messages\n\nid: 3\ndata: \n\nid: 4\ndata: \n\nretry: 7\n\n',
    );
  });
});
