import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  errorFrame,
  noticeFrame,
  Prepared,
  RpcError,
  readMessage,
  requestFrame,
  resultFrame,
  rpcCodes,
} from './json-rpc.ts';

const id = fc.oneof(fc.string(), fc.integer());
const object = fc.dictionary(fc.string(), fc.jsonValue());

function outcome(value: unknown): string {
  try {
    return readMessage(value).kind;
  } catch (error) {
    return error instanceof RpcError ? 'refused' : 'broken';
  }
}

describe('JSON-RPC messages', () => {
  it('reads what it writes, whatever is in it', () => {
    fc.assert(
      fc.property(id, fc.string(), object, (requestId, method, params) => {
        const plain = JSON.parse(JSON.stringify(params));
        expect(readMessage(JSON.parse(requestFrame(requestId, method, params)))).toEqual({
          kind: 'request',
          id: requestId,
          method,
          params: plain,
        });
        expect(readMessage(JSON.parse(noticeFrame(method, params)))).toEqual({ kind: 'notice', method, params: plain });
        expect(readMessage(JSON.parse(resultFrame(requestId, params)))).toEqual({
          kind: 'answer',
          id: requestId,
          result: plain,
        });
      }),
    );
  });

  it('refuses with an error of the protocol whatever is no message, and never breaks', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(outcome(value)).not.toBe('broken');
      }),
    );
    for (const value of [
      null,
      [],
      [{ jsonrpc: '2.0', id: 1, method: 'ping' }],
      { jsonrpc: '1.0', id: 1, method: 'x' },
    ]) {
      expect(() => readMessage(value)).toThrow(expect.objectContaining({ code: rpcCodes.invalidRequest }));
    }
    const badParams = { jsonrpc: '2.0', id: 1, method: 'ping', params: [1] };
    expect(() => readMessage(badParams)).toThrow(expect.objectContaining({ code: rpcCodes.invalidParams }));
  });

  it('writes a prepared result as the text that it is', () => {
    expect(resultFrame('a"b', new Prepared('{"n":1.0}'))).toBe('{"jsonrpc":"2.0","id":"a\\"b","result":{"n":1.0}}');
  });

  it('answers what cannot be read with the id null', () => {
    const frame = JSON.parse(errorFrame(null, new RpcError(rpcCodes.parse, 'no JSON', { at: 3 })));
    expect(frame).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'no JSON', data: { at: 3 } } });
  });
});
