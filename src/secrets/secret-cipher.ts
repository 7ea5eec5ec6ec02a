import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Length of a key in bytes (AES-256). */
export const keyBytes = 32;

/** First byte of everything sealed, so that another form can follow one day. */
const form = 1;
const ivBytes = 12;
const tagBytes = 16;
const head = 1 + ivBytes + tagBytes;

/**
 * A text encrypted with AES-256-GCM: form, random nonce, tag, ciphertext. It opens only with the same key and the same
 * place (what it is the value of), so that nobody who can write the database can exchange two values.
 */
export function seal(key: Uint8Array, place: string, text: string): Uint8Array {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(place, 'utf8'));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(form), iv, cipher.getAuthTag(), body]);
}

/** The text of something sealed, or undefined if it was damaged or belongs to another key or place. */
export function unseal(key: Uint8Array, place: string, sealed: Uint8Array): string | undefined {
  if (sealed.length < head || sealed[0] !== form) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(place, 'utf8'));
  decipher.setAuthTag(sealed.subarray(1 + ivBytes, head));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(head)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
