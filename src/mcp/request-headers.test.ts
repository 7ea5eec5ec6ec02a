import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rpcCodes } from './json-rpc.ts';
import { checkHeaders, checkParamHeaders, decoded, eraOfRequest, metaKeys, readEnvelope } from './request-headers.ts';

const version = '2026-07-28';
const _meta = { [metaKeys.version]: version, [metaKeys.capabilities]: {} };
const call = { kind: 'request', id: 1, method: 'tools/call', params: { name: 'echo', _meta } } as const;
const good = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
const mismatch = expect.objectContaining({ code: rpcCodes.headerMismatch, status: 400 });

describe('the revision of a request over HTTP', () => {
  it('is what the message says of itself', () => {
    expect(eraOfRequest(call, {})).toBe('modern');
    expect(eraOfRequest({ kind: 'request', id: 1, method: 'ping', params: {} }, {})).toBe('legacy');
    expect(eraOfRequest({ kind: 'notice', method: 'x', params: {} }, { 'mcp-protocol-version': version })).toBe(
      'modern',
    );
    expect(
      eraOfRequest({ kind: 'request', id: 1, method: 'ping', params: {} }, { 'mcp-protocol-version': '2025-11-25' }),
    ).toBe('legacy');
  });

  it('is refused where the header says 2026 and the message lacks what that asks', () => {
    const bare = { kind: 'request', id: 1, method: 'tools/list', params: {} } as const;
    const refused = expect.objectContaining({ code: rpcCodes.invalidParams, status: 400 });
    expect(() => eraOfRequest(bare, { 'mcp-protocol-version': version })).toThrow(refused);
    const hello = { kind: 'request', id: 1, method: 'initialize', params: {} } as const;
    expect(() => eraOfRequest(hello, { 'mcp-protocol-version': version })).toThrow(mismatch);
  });

  it('is refused where we do not speak it, with those that we do', () => {
    const params = { _meta: { ..._meta, [metaKeys.version]: '2099-01-01' } };
    const refused = { code: rpcCodes.unsupportedVersion, data: { supported: [version], requested: '2099-01-01' } };
    expect(() => readEnvelope(params)).toThrow(expect.objectContaining(refused));
    expect(() => readEnvelope({ _meta: { [metaKeys.version]: version } })).toThrow('clientCapabilities');
    expect(readEnvelope({ _meta })).toEqual({ capabilities: {} });
  });
});

describe('the headers of a 2026 request', () => {
  it('must be there and say what the body says', () => {
    expect(() => checkHeaders(call, good)).not.toThrow();
    expect(() => checkHeaders(call, { ...good, 'mcp-name': ' echo ' })).not.toThrow();
    expect(() => checkHeaders(call, { ...good, 'mcp-name': '=?base64?ZWNobw==?=' })).not.toThrow();
    for (const name of Object.keys(good)) {
      expect(() => checkHeaders(call, { ...good, [name]: undefined })).toThrow(mismatch);
      expect(() => checkHeaders(call, { ...good, [name]: 'other' })).toThrow(mismatch);
    }
    expect(() => checkHeaders(call, { ...good, 'mcp-name': '=?base64?%%%?=' })).toThrow(mismatch);
  });

  it('carry any text, encoded as the specification says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        expect(decoded(`=?base64?${Buffer.from(text).toString('base64')}?=`)).toBe(text.toWellFormed());
      }),
    );
    expect(decoded('=?base64?unfinished')).toBe('=?base64?unfinished');
    expect(decoded('=?base64?/w==?=')).toBeUndefined();
  });

  it('repeat the arguments that the schema of the tool declares', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        page: { type: 'object', properties: { size: { type: 'integer', 'x-mcp-header': 'Size' } } },
      },
    };
    const view = { named: () => ({ handleName: 'echo', definition: { name: 'echo', inputSchema } }) };
    const check = (args: object, headers: Record<string, string>) =>
      checkParamHeaders(view as never, { name: 'echo', arguments: { ...args } }, headers);
    const args = { region: 'north', page: { size: 10 } };
    expect(() => check(args, { 'mcp-param-region': 'north', 'mcp-param-size': '10' })).not.toThrow();
    expect(() => check(args, { 'mcp-param-region': 'north', 'mcp-param-size': '10.0' })).not.toThrow();
    expect(() => check(args, { 'mcp-param-region': 'south', 'mcp-param-size': '10' })).toThrow(mismatch);
    expect(() => check(args, { 'mcp-param-region': 'north' })).toThrow(mismatch);
    expect(() => check({ region: null }, {})).not.toThrow();
  });
});
