import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, isJsonObject } from '../../core/json.ts';
import type { ChainEnd } from './audit-chain.ts';

/** A signed statement of how far the audit had got: count of rows and hash of the last one. */
export interface Checkpoint extends ChainEnd {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Written by a clean stop: no row follows until the next start has said that it goes on. */
  readonly closed?: true;
}

/** What a checkpoint file holds. */
export type CheckpointReading =
  | { readonly found: 'signed'; readonly checkpoint: Checkpoint }
  | { readonly found: 'nothing' }
  /** Not signed by this home's key, or not a checkpoint at all. */
  | { readonly found: 'forged' };

/** The checkpoint as the text of its file, signed with the home's Ed25519 key. */
export function writeCheckpoint(checkpoint: Checkpoint, privateKey: KeyObject): string {
  const signature = sign(null, statement(checkpoint), privateKey).toString('base64');
  return `${JSON.stringify({ ...checkpoint, signature })}\n`;
}

/** Reads such a text; only what the key has signed is believed. */
export function readCheckpoint(text: string | undefined, key: KeyObject): CheckpointReading {
  if (text === undefined) return { found: 'nothing' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { found: 'forged' };
  }
  if (!isJsonObject(value)) return { found: 'forged' };
  const { seq, hash, at, closed, signature } = value;
  if (typeof seq !== 'number' || typeof hash !== 'string' || typeof at !== 'number' || typeof signature !== 'string') {
    return { found: 'forged' };
  }
  const checkpoint: Checkpoint = { seq, hash, at, ...(closed === true && { closed }) };
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const signed = verify(null, statement(checkpoint), publicKey, Buffer.from(signature, 'base64'));
  return signed ? { found: 'signed', checkpoint } : { found: 'forged' };
}

/** The prefix keeps a signature for one purpose from being used for another. */
function statement({ seq, hash, at, closed }: Checkpoint): Buffer {
  return Buffer.from(`longshore audit checkpoint 1\n${canonicalJson({ seq, hash, at, ...(closed && { closed }) })}`);
}
