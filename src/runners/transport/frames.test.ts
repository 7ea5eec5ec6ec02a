import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answeredId, parseFrames } from './frames.ts';

const frame = { jsonrpc: '2.0', id: 1, result: { text: '{"' } };

describe('parseFrames', () => {
  it('reads a message, and a batch of them', () => {
    expect(parseFrames(JSON.stringify(frame))).toEqual([frame]);
    expect(parseFrames(JSON.stringify([frame, { jsonrpc: '2.0', method: 'x' }]))).toHaveLength(2);
  });

  it.each([
    ['\u001B[32m\u001B[1m', 'colours'],
    ['\u001B[2K\r', 'a cleared line'],
    ['\uFEFF', 'a byte-order mark'],
    ['\u001B]0;title\u0007', 'a window title'],
    ['  \t', 'spaces'],
  ])('overlooks what terminals are told before a message: %j', prefix => {
    expect(parseFrames(prefix + JSON.stringify(frame))).toEqual([frame]);
  });

  it.each([
    ['listening on 3000'],
    [`received ${JSON.stringify(frame)}`],
    ['{"jsonrpc":"2.0","id":1}'],
    ['{"jsonrpc":"1.0","id":1,"result":{}}'],
    ['{"id":1,"result":{}}'],
    ['{"level":"info","msg":"ready"}'],
    ['[]'],
    ['[1]'],
    ['null'],
    ['42'],
    ['{"jsonrpc":"2.0","id":{},"result":{}}'],
    ['{"jsonrpc":"2.0","method":7}'],
    ['{"jsonrpc":"2.0","id":1,"error":"no"}'],
    [`${JSON.stringify(frame)}}`],
  ])('takes no other line for a message: %s', line => {
    expect(parseFrames(line)).toBeUndefined();
  });

  it('never throws, whatever a server prints', () => {
    const quiet = (line: string): void => {
      expect(() => parseFrames(line)).not.toThrow();
    };
    fc.assert(fc.property(fc.string({ unit: 'binary' }), quiet));
    fc.assert(fc.property(fc.json(), quiet));
  });
});

describe('answeredId', () => {
  const of = (line: string): number | string | undefined =>
    answeredId({ head: line.slice(0, 1024), tail: line.slice(-256), bytes: line.length });
  const big = 'x'.repeat(5000);

  it.each([
    [`{"jsonrpc":"2.0","id":7,"result":{"a":"${big}"}}`, 7],
    [`{"id":"seven","jsonrpc":"2.0","result":{"a":"${big}"}}`, 'seven'],
    [`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"${big}"}}`, 7],
    [`{"result":{"a":"${big}"},"jsonrpc":"2.0","id":7}`, 7],
    [`{"jsonrpc":"2.0","result":{"a":"${big}"},"id":7}`, 7],
    [` { "result": {"a":"${big}"} , "id" : 7 , "jsonrpc" : "2.0" } `, 7],
  ])('finds whose answer a long line was: %#', (line, id) => {
    expect(of(line)).toBe(id);
  });

  it.each([
    [`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"${big}"}}`],
    [`{"jsonrpc":"2.0","method":"x","params":{"a":"${big}","id":7}}`],
    [`{"result":{"a":"${big}","id":7},"jsonrpc":"2.0"}`],
    [`{"result":{"a":"${big},\\"id\\":7}"}}`],
    [big],
  ])('is not fooled by an id that is not the frame’s own: %#', line => {
    expect(of(line)).toBeUndefined();
  });
});
