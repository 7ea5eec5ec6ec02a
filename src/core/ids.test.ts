import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LongshoreError } from './errors.ts';
import { agentId, newDispatchId, randomId, serverKey, sha256 } from './ids.ts';

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof LongshoreError) return error.code;
    throw error;
  }
  return undefined;
}

describe('agentId', () => {
  it.each(['did:x:1', 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH', 'did:web:example.org%3A8443:ann'])(
    'R57: takes a DID as it is: %s',
    did => {
      expect(agentId(did)).toBe(did);
    },
  );

  it.each([
    ['did'],
    ['did:x'],
    ['did:x:'],
    ['did::1'],
    ['DID:x:1'],
    ['did:X:1'],
    ['x'],
    [''],
    [undefined],
    [null],
    [{}],
    [['did:x:1']],
  ])('R57, R66: throws for what is no DID: %j', value => {
    expect(codeOf(() => agentId(value))).toBe('invalid-identity');
  });

  it('R57, R66: throws for any whitespace or control character, wherever it stands', () => {
    const bad = fc.constantFrom(' ', '\t', '\n', '\0', '\u00a0', '\u2028', '\ufeff');
    fc.assert(
      fc.property(bad, fc.nat({ max: 'did:x:ann'.length }), (character, at) => {
        const did = 'did:x:ann'.slice(0, at) + character + 'did:x:ann'.slice(at);
        expect(codeOf(() => agentId(did))).toBe('invalid-identity');
      }),
    );
  });
});

describe('serverKey', () => {
  it('has 1 to 64 of A-Z a-z 0-9 _ -, and nothing else', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/), key => {
        expect(serverKey(key)).toBe(key);
      }),
    );
    for (const key of ['', 'a'.repeat(65), 'a.b', 'a b', 'ä', 'a\n', 'a/b']) {
      expect(codeOf(() => serverKey(key))).toBe('usage');
    }
  });
});

describe('ids and digests', () => {
  it('R40: a random id has 32 digits in hex and does not come again', () => {
    const ids = Array.from({ length: 1_000 }, randomId);
    expect(ids.every(id => /^[0-9a-f]{32}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('the id of a dispatch sorts by its time, and two of one time differ', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 45), fc.nat(2 ** 45), (one, other) => {
        const [first, second] = [one, other].map(now => newDispatchId(now, randomId));
        expect(first).toMatch(/^[0-9a-f]{32}$/);
        expect(first).not.toBe(second);
        expect(one === other || (first ?? '') < (second ?? '') === one < other).toBe(true);
      }),
    );
    expect(newDispatchId(-1, () => 'id-1')).toBe('000000000000id-1');
  });

  it('sha256 is over the UTF-8 bytes of a text', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256('ä')).toBe('33e6d73fee82904c8d7afb78de1154d1e8dc2a0edb08120e63df5b9385c2d9cc');
  });
});
