import { randomBytes } from 'node:crypto';
import { LongshoreError } from '../core/errors.ts';
import { makePrivateFile, readPrivateFile } from '../core/private-file.ts';
import { keyBytes } from './secret-cipher.ts';

/** The key of a key file, for reading. Throws `secret-unreadable` if it is missing or damaged. */
export function keyToOpen(keyFile: string): Uint8Array {
  return readKey(keyFile) ?? missingKey(keyFile, []);
}

/**
 * The key of a key file, made if nothing is sealed yet. A new key beside values of an old one would only hide that the
 * old one is lost: then, and for a damaged file, it throws `secret-unreadable`.
 */
export function keyToSeal(keyFile: string, sealed: readonly string[]): Uint8Array {
  const key = readKey(keyFile);
  if (key) return key;
  if (sealed.length > 0) return missingKey(keyFile, sealed);
  return decodeKey(makePrivateFile(keyFile, `${randomBytes(keyBytes).toString('hex')}\n`), keyFile);
}

function readKey(keyFile: string): Uint8Array | undefined {
  const text = readPrivateFile(keyFile);
  return text === undefined ? undefined : decodeKey(text, keyFile);
}

function decodeKey(text: string, keyFile: string): Uint8Array {
  if (/^[0-9a-f]{64}\n?$/.test(text)) return Buffer.from(text.trim(), 'hex');
  throw new LongshoreError(
    'secret-unreadable',
    `The key file ${keyFile} is damaged. Put it back from a backup; or remove the secrets that need it, delete it and set them again.`,
    { data: { path: keyFile } },
  );
}

function missingKey(keyFile: string, sealed: readonly string[]): never {
  const which = sealed.length === 0 ? '' : ` (${sealed.join(', ')})`;
  throw new LongshoreError(
    'secret-unreadable',
    `The key file ${keyFile} is missing, so the secrets in the database${which} cannot be read. Put it back from a backup, or remove these secrets and set them again.`,
    { data: { path: keyFile } },
  );
}
