import { randomBytes } from 'node:crypto';
import { LongshoreError } from '../core/errors.ts';
import { makePrivateFile, readPrivateFile } from '../core/private-file.ts';

const form = /^lso_[A-Za-z0-9_-]{43}\n?$/;

/**
 * The operator's token in a home's `operator.token`, made at first use: the file is 0600, so whoever can read it is the operator.
 * Throws `bad-setting` for a file that holds something else.
 */
export function operatorToken(path: string): string {
  const text = readPrivateFile(path) ?? makePrivateFile(path, `lso_${randomBytes(32).toString('base64url')}\n`);
  if (form.test(text)) return text.trim();
  throw new LongshoreError(
    'bad-setting',
    `${path} does not hold an operator token. Delete it and start Longshore again: it makes a new one.`,
    { data: { path } },
  );
}
