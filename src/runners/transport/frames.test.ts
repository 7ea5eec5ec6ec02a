import { describe, expect, it } from 'vitest';
import { answeredId } from './frames.ts';

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
