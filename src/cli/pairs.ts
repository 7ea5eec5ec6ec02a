import { LongshoreError } from '../core/errors.ts';

/** `NAME=VALUE` words of a flag as an object. Throws `usage`. */
export function pairs(flag: string, words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map(word => {
      const at = word.indexOf('=');
      if (at < 1) throw new LongshoreError('usage', `${flag} takes NAME=VALUE, not ${JSON.stringify(word)}.`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
