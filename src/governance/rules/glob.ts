/** A pattern in which `*` stands for any characters, and everything else, case included, for itself. */
export interface Glob {
  readonly text: string;
  /** True without any `*`: it names one thing. */
  readonly exact: boolean;
  /** How many characters it fixes: the more, the more specific. */
  readonly fixed: number;
}

/** Reads a glob; every text is one. */
export function glob(text: string): Glob {
  return { text, exact: !text.includes('*'), fixed: text.replaceAll('*', '').length };
}

/** Whether the whole text matches. Takes time in proportion to both lengths at worst: no regular expression, no backtracking blow-up. */
export function globMatches({ text: pattern, exact }: Glob, text: string): boolean {
  if (exact) return pattern === text;
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
