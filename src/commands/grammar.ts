import { LongshoreError } from '../core/errors.ts';

/** One line that a person typed, read but not yet understood. */
export interface CommandLine {
  /** The first word, with A-Z lower-cased. */
  readonly name: string;
  /** The words after it, in order, unchanged: nothing is trimmed off what stood in quotes (R70). */
  readonly positional: readonly string[];
  /** Names of `--name` words before a `--`, in order. */
  readonly flags: readonly string[];
}

interface Word {
  readonly text: string;
  /** Words that begin with a quote are data, whatever is in them. */
  readonly quoted: boolean;
}

/**
 * Reads a line by R28's grammar: words are separated by spaces, tabs and line breaks; '…' and "…" group, also in the middle of
 * a word, and know no escapes; `--` ends flags. Other Unicode whitespace stays in its word, so that it is noticed and not
 * silently dropped. Throws `usage` for an unclosed quote or a flag with a single dash.
 */
export function readCommandLine(line: string): CommandLine {
  const [first, ...rest] = words(line);
  const positional: string[] = [];
  const flags: string[] = [];
  let flagsEnded = false;
  for (const { text, quoted } of rest) {
    if (flagsEnded || quoted || !text.startsWith('-') || text === '-') positional.push(text);
    else if (text === '--') flagsEnded = true;
    else flags.push(flagName(text));
  }
  return { name: (first?.text ?? '').replace(/[A-Z]/g, letter => letter.toLowerCase()), positional, flags };
}

/** A text as one word of a line: `readCommandLine` gives it back unchanged and never takes it for a flag. */
export function quoteWord(text: string): string {
  if (/^[^\s'"-][^\s'"]*$/.test(text)) return text;
  if (!text.includes('"')) return `"${text}"`;
  return text
    .split(/("+)/)
    .map(part => (part.startsWith('"') ? `'${part}'` : `"${part}"`))
    .join('');
}

function words(line: string): readonly Word[] {
  const found: Word[] = [];
  const separator = /[ \t\r\n\f\v]*/y;
  const part = /"([^"]*)"|'([^']*)'|([^ \t\r\n\f\v"']+)/y;
  separator.exec(line);
  let at = separator.lastIndex;
  while (at < line.length) {
    let text = '';
    const quoted = line[at] === '"' || line[at] === "'";
    part.lastIndex = at;
    for (let match = part.exec(line); match !== null; match = part.exec(line)) {
      text += match[1] ?? match[2] ?? match[3] ?? '';
      at = part.lastIndex;
    }
    separator.lastIndex = at;
    separator.exec(line);
    if (separator.lastIndex === at && at < line.length) {
      throw new LongshoreError('usage', `The quote ${line[at]} is opened and not closed.`);
    }
    at = separator.lastIndex;
    found.push({ text, quoted });
  }
  return found;
}

function flagName(text: string): string {
  if (text.startsWith('--')) return text.slice(2);
  throw new LongshoreError(
    'usage',
    `Flags begin with two dashes, so ${text} is none. If it is not meant as a flag, put -- before it.`,
  );
}
