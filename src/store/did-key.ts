import type { KeyObject } from 'node:crypto';
import { type AgentId, agentId } from '../core/ids.ts';

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Multicodec prefix of an Ed25519 public key. */
const ed25519 = [0xed, 0x01];

/** The did:key of an Ed25519 key: `did:key:z6Mk…`, the multicodec key in base58btc multibase. */
export function didKey(publicKey: KeyObject): AgentId {
  const { x } = publicKey.export({ format: 'jwk' });
  const bytes = Uint8Array.of(...ed25519, ...Buffer.from(x ?? '', 'base64url'));
  return agentId(`did:key:z${encodeBase58(bytes)}`);
}

/** Base58 with Bitcoin's alphabet. */
export function encodeBase58(bytes: Uint8Array): string {
  let value = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = base58.charAt(Number(value % 58n)) + text;
  const zeros = bytes.findIndex(byte => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
}
