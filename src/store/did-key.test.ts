import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentId } from '../core/ids.ts';
import { didKey, encodeBase58 } from './did-key.ts';

describe('base58', () => {
  it.each([
    ['', ''],
    ['48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
    ['0000287fb4cd', '11233QC4'],
    ['00', '1'],
  ])('encodes %j as the published vectors say', (hex, text) => {
    expect(encodeBase58(Buffer.from(hex, 'hex'))).toBe(text);
  });

  it('gives different texts for different bytes, leading zeros included', () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(encodeBase58(a) === encodeBase58(b)).toBe(Buffer.compare(a, b) === 0);
      }),
    );
  });
});

describe('didKey', () => {
  it('names a key as the did:key specification does', () => {
    // Its example key, in base58 without the prefix: B12NYF8RrR3h41TDCTJojY59usg3mbtbjnFs7Eud1Y6u
    const x = Buffer.from('94966b7c08e405775f8de6cc1c4508f6eb227403e1025b2c8ad2d7477398c5b2', 'hex');
    expect(encodeBase58(x)).toBe('B12NYF8RrR3h41TDCTJojY59usg3mbtbjnFs7Eud1Y6u');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') }, format: 'jwk' });
    expect(didKey(key)).toBe('did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH');
  });

  it('R57: is always a DID that an agent may have', () => {
    for (let count = 0; count < 20; count += 1) {
      const did = didKey(generateKeyPairSync('ed25519').publicKey);
      expect(did).toMatch(/^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/);
      expect(agentId(did)).toBe(did);
    }
  });
});
