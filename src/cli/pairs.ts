import { LongshoreError } from '../core/errors.ts';

/** `NAME=VALUE` words of a flag as an object. Throws `usage`, which never repeats a word: its value may be a secret. */
export function pairs(flag: string, words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map(word => pair(flag, word, '=', 'NAME=VALUE')));
}

/** The words of `--header`, as `Name: value` like curl's, or `NAME=VALUE`. Throws `usage`, which never repeats a word. */
export function headerPairs(flag: string, words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map(word => {
      // Whichever comes first: a value may hold either, a header's name neither.
      const separator = /[:=]/.exec(word)?.[0] ?? ':';
      const [name, value] = pair(flag, word, separator, "'Name: value' or NAME=VALUE");
      return [name.trim(), separator === ':' ? value.trim() : value];
    }),
  );
}

function pair(flag: string, word: string, separator: string, form: string): readonly [string, string] {
  const at = word.indexOf(separator);
  if (at < 1) throw new LongshoreError('usage', `${flag} takes ${form}; what was given has no name or no value.`);
  return [word.slice(0, at), word.slice(at + 1)];
}
