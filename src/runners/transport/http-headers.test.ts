import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LongshoreError } from '../../core/errors.ts';
import { serverHeaders } from './http-headers.ts';

const failure = (configured: Record<string, string>): LongshoreError => {
  try {
    serverHeaders(configured);
  } catch (error) {
    if (error instanceof LongshoreError) return error;
  }
  throw new Error('was accepted');
};

describe('the headers of a server', () => {
  it('go out under lower-case names, without the white space around their values', () => {
    const { sent } = serverHeaders({ Authorization: 'Bearer abcdef\n', 'X-Team': ' blue ' });
    expect(sent).toMatchObject({ authorization: 'Bearer abcdef', 'x-team': 'blue' });
  });

  it('leave out whatever describes a message or a session, which only the transport knows', () => {
    const { sent } = serverHeaders({
      'Mcp-Session-Id': 'x',
      'mcp-protocol-version': '1',
      'Content-Type': 'text/plain',
      Accept: '*/*',
      'Last-Event-ID': '1',
      'Transfer-Encoding': 'chunked',
    });
    expect(Object.keys(sent)).toEqual(['user-agent']);
  });

  it('are refused by name, and never by value, where HTTP cannot carry them', () => {
    for (const configured of [
      { 'X-Key': 'canary\r\nHost: evil' },
      { 'X-Key': 'canary-\u{1F511}' },
      { 'X-Key': 'canary\0' },
    ]) {
      const error = failure(configured);
      expect(error.code).toBe('bad-config');
      expect(error.message).toContain('X-Key');
      expect(`${error.message}${JSON.stringify(error.data)}${String(error.cause)}`).not.toContain('canary');
    }
    expect(failure({ 'X Key': 'v' }).message).toContain('"X Key"');
  });

  it('are hidden wherever their values turn up, and so is the token without its scheme', () => {
    const { hide } = serverHeaders({ Authorization: 'Bearer s3cr(e)t+', 'X-Key': 'other-key', 'X-Lang': 'de' });
    expect(hide('got "Bearer s3cr(e)t+" or S3CR(E)T+ with OTHER-KEY')).toBe('got "[masked]" or [masked] with [masked]');
    expect(hide('a de b Bearer')).toBe('a de b Bearer');
    expect(serverHeaders({}).hide('plain')).toBe('plain');
  });

  it('are hidden in any text around any value', () => {
    const visible = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code)),
      minLength: 4,
    });
    const hides = fc.property(visible, fc.string(), fc.string(), (secret, before, after) => {
      const { hide } = serverHeaders({ 'X-Key': secret });
      const hidden = hide(`${before} ${secret} ${after}`);
      return '[masked]'.includes(secret) || !hidden.split('[masked]').join(' ').includes(secret);
    });
    expect(fc.check(hides)).toMatchObject({ failed: false });
  });
});
