import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resultTooLarge, unreadableAnswer } from './frames.ts';
import { frameLimits, readFrames } from './read-frames.ts';

const frame = { jsonrpc: '2.0', id: 1, result: { text: '{"' } };
const nobody = (): boolean => false;
const awaited = (id: number | string): boolean => id === 1;
const read = (line: string, isAwaited: typeof awaited = nobody) => readFrames(line, isAwaited)?.frames;

describe('readFrames', () => {
  it('reads a message, and a batch of them, of which it overlooks what is none', () => {
    expect(read(JSON.stringify(frame))).toEqual([frame]);
    expect(read(JSON.stringify([frame, { jsonrpc: '2.0', method: 'x' }, 1]))).toHaveLength(2);
  });

  it.each([
    ['\u001B[32m\u001B[1m', 'colours'],
    ['\u001B[2K\r', 'a cleared line'],
    ['\uFEFF', 'a byte-order mark'],
    ['\u001B]0;title\u0007', 'a window title'],
    ['  \t', 'spaces'],
  ])('overlooks what terminals are told before a message: %j', prefix => {
    expect(read(prefix + JSON.stringify(frame))).toEqual([frame]);
  });

  it.each([
    ['listening on 3000'],
    [`received ${JSON.stringify(frame)}`],
    ['{"jsonrpc":"1.0","id":1,"result":{}}'],
    ['{"id":1,"result":{}}'],
    ['{"level":"info","msg":"ready"}'],
    ['[]'],
    ['[1]'],
    ['null'],
    ['42'],
    ['{"jsonrpc":"2.0","id":{},"result":{}}'],
    ['{"jsonrpc":"2.0","id":1.5,"result":{}}'],
    ['{"jsonrpc":"2.0","method":7}'],
    ['{"jsonrpc":"2.0","id":[],"method":"ping"}'],
    ['{"jsonrpc":"2.0","result":{}}'],
    [`${JSON.stringify(frame)}}`],
  ])('takes no other line for a message: %s', line => {
    expect(read(line)).toBeUndefined();
  });

  it.each<[string, object]>([
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":null}', { id: 1, result: {} }],
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":[]}', { id: 1, result: {} }],
    ['{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":false,"method":null}', { id: 1, result: { a: 1 } }],
    ['{"jsonrpc":"2.0","id":1,"result":[]}', { id: 1, result: {} }],
    ['{"jsonrpc":"2.0","id":1,"result":null,"error":null}', { id: 1, result: null }],
    ['{"jsonrpc":"2.0","id":"1","result":{}}', { id: 1, result: {} }],
    ['{"jsonrpc":"2.0","id":1.0,"result":{}}', { id: 1, result: {} }],
    ['{"jsonrpc":"2.0","id":"abc","result":{}}', { id: 'abc', result: {} }],
    [
      '{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-5,"message":"no"}}',
      { id: 1, error: { code: -5, message: 'no' } },
    ],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":"-5","message":null}}', { id: 1, error: { code: -5, message: '' } }],
    ['{"jsonrpc":"2.0","id":1,"error":"no"}', { id: 1, error: { code: -32_603, message: 'no', data: 'no' } }],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}', { error: { code: -32_700, message: 'x' } }],
    ['{"jsonrpc":"2.0","method":"n","params":null,"id":null}', { method: 'n' }],
    ['{"jsonrpc":"2.0","method":"n","params":[]}', { method: 'n' }],
    [
      '{"jsonrpc":"2.0","method":"q","id":"x","result":null,"params":{"a":null}}',
      { method: 'q', id: 'x', params: { a: null } },
    ],
  ])('S2, B4, B5: reads as the protocol writes it: %s', (line, meant) => {
    expect(read(line)).toEqual([{ jsonrpc: '2.0', ...meant }]);
  });

  it('an answer that says nothing is an error for whoever waits for it', () => {
    expect(read('{"jsonrpc":"2.0","id":1}')).toMatchObject([{ id: 1, error: { code: unreadableAnswer } }]);
    expect(read('{"jsonrpc":"2.0","id":1,"error":{}}')).toMatchObject([{ id: 1, error: { code: unreadableAnswer } }]);
  });

  it.each(['NaN', 'Infinity', '-Infinity'])('P3: reads %s as null outside of strings, and says so', number => {
    const reading = readFrames(
      `{"jsonrpc":"2.0","id":1,"result":{"a":${number},"b":"${number} \\" [${number}"}}`,
      nobody,
    );
    expect(reading).toEqual({
      frames: [{ jsonrpc: '2.0', id: 1, result: { a: null, b: `${number} " [${number}` } }],
      oddity: 'nan',
    });
  });

  it.each([
    ['Loading... done ', ''],
    ['\r100%|██████████| 3/3 [00:00<00:00, 99it/s]', ''],
    ['{"half": [1, ', ''],
    ['{"level":"info"} ', ' ok'],
    ['', '}'],
    ['', '{"jsonrpc":"2.0","id":9,"result":{}}'],
    ['sending: {"jsonrpc":"2.0","id":1,"method":"x"} ', ''],
  ])('P9: finds an answer that is awaited between %j and %j', (before, after) => {
    const line = `${before}${JSON.stringify(frame)}${after}`;
    expect(readFrames(line, awaited)).toEqual({ frames: [frame], oddity: 'glued' });
    expect(read(line, () => false) ?? []).not.toContainEqual(frame);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":1,"result":{"a":undefined}}', 'from character 38 on'],
    ['{"jsonrpc":"2.0","id":1,"result":{"a":', 'at its end'],
    ['log: {"jsonrpc": "2.0", "id": "1", "result": {\'a\': 1}}', 'from character'],
  ])('P3: an awaited answer that cannot be read fails at once, naming the place: %s', (line, place) => {
    const [found] = read(line, awaited) ?? [];
    expect(found).toMatchObject({ id: 1, error: { code: unreadableAnswer } });
    expect(JSON.stringify(found)).toContain(place);
    expect(read(line)).toBeUndefined();
  });

  it('S9: refuses what is too deep or too much, for whoever waits for it, before anything is made of it', () => {
    const deep = `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const many = `{"jsonrpc":"2.0","id":1,"result":{"a":[${'[],'.repeat(frameLimits.values)}1]}}`;
    for (const line of [deep, many]) {
      expect(read(line)).toMatchObject([{ id: 1, error: { code: resultTooLarge } }]);
      expect(read(line.replace('"result"', '"params"').replace('"id":1', '"method":"x"'))).toBeUndefined();
    }
    const fits = `{"jsonrpc":"2.0","id":1,"result":{"a":${'['.repeat(900)}${']'.repeat(900)}}}`;
    expect(read(fits)).toMatchObject([{ result: {} }]);
  });

  it('B6: keeps the text of numbers, and of the ids of requests', () => {
    const line = '{"jsonrpc":"2.0","method":"q","id":9007199254740993,"params":{"a":1.0,"b":1e400}}';
    expect(JSON.stringify(read(line)?.[0])).toBe(
      '{"jsonrpc":"2.0","method":"q","id":9007199254740993,"params":{"a":1.0,"b":1e400}}',
    );
  });

  it('never throws, whatever a server prints', () => {
    const quiet = (line: string): void => {
      for (const isAwaited of [nobody, () => true]) expect(() => readFrames(line, isAwaited)).not.toThrow();
    };
    fc.assert(fc.property(fc.string({ unit: 'binary' }), quiet));
    fc.assert(fc.property(fc.json(), quiet));
    const members = fc.record(
      {
        jsonrpc: fc.constant('2.0'),
        id: fc.jsonValue(),
        method: fc.jsonValue(),
        result: fc.jsonValue(),
        error: fc.jsonValue(),
        params: fc.jsonValue(),
      },
      { requiredKeys: ['jsonrpc'] },
    );
    fc.assert(
      fc.property(members, fc.nat(200), (one, end) => {
        quiet(JSON.stringify(one));
        quiet(JSON.stringify([one, one]));
        quiet(JSON.stringify(one).slice(0, -end));
      }),
      { numRuns: 500 },
    );
  });
});
