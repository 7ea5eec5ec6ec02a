import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointClient } from '../../../test/fixtures/endpoint-client.ts';
import { sessionIds } from './session-ids.ts';

const hello = { protocolVersion: '2025-06-18', capabilities: { elicitation: {}, roots: { listChanged: true } } };

describe('the id of a session', () => {
  it('tells its own service, restarted, what its client said, and nobody else', () => {
    const id = sessionIds('key').make(endpointClient('one'), hello);
    const later = sessionIds('key');
    expect(later.read(id, endpointClient('one'))).toEqual(hello);
    expect(later.read(id, endpointClient('two'))).toBeUndefined();
    expect(later.read(id, endpointClient('one', 'notes'))).toBeUndefined();
    expect(sessionIds('another').read(id, endpointClient('one'))).toBeUndefined();
    expect(sessionIds('key').make(endpointClient('one'), hello)).not.toBe(id);
    expect(id).toMatch(/^[\x21-\x7e]+$/);
  });

  it('of a client that says very much is one that ends with the service', () => {
    const much = { ...hello, capabilities: { experimental: { text: 'x'.repeat(5_000) } } };
    const id = sessionIds('key').make(endpointClient('one'), much);
    expect(id.length).toBeLessThan(100);
    expect(sessionIds('key').read(id, endpointClient('one'))).toBeUndefined();
  });

  it('cannot be made up or changed', () => {
    const ids = sessionIds('key');
    const id = ids.make(endpointClient('one'), hello);
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.tuple(fc.nat(id.length - 1), fc.string({ minLength: 1, maxLength: 1 }))),
        made => {
          const text = typeof made === 'string' ? made : id.slice(0, made[0]) + made[1] + id.slice(made[0] + 1);
          // The last character of base64url may say the same in several ways.
          fc.pre(text !== id && text.slice(0, -1) !== id.slice(0, -1));
          expect(ids.read(text, endpointClient('one'))).toBeUndefined();
        },
      ),
    );
  });
});
