/** One reference inside a value: `${env:NAME}`, `${env:NAME:-default}` or `${secret:NAME}`. */
export interface Reference {
  /** As it is written, from `${` to `}`. */
  readonly text: string;
  readonly source: 'env' | 'secret';
  readonly name: string;
  /** Used where an environment variable is unset or empty; a secret has none. */
  readonly fallback?: string;
}

// A parenthesis is part of some names on Windows, e.g. ProgramFiles(x86).
const pattern = /\$\{(?:env:(?<env>[A-Za-z0-9_.()-]+)(?::-(?<fallback>[^}]*))?|secret:(?<secret>[A-Za-z0-9_.-]+))\}/g;

/** What looks like a reference to something: `${…}`. */
const anyReference = /\$\{[^{}]*\}/g;

function asReference(match: RegExpMatchArray): Reference {
  const { env, secret, fallback } = match.groups ?? {};
  if (secret !== undefined) return { text: match[0], source: 'secret', name: secret };
  return { text: match[0], source: 'env', name: env ?? '', ...(fallback === undefined ? {} : { fallback }) };
}

/** The references in a text, from left to right. */
export function findReferences(text: string): readonly Reference[] {
  return Array.from(text.matchAll(pattern), asReference);
}

/** What looks like a reference but is none of ours, e.g. `${input:token}`; it is passed on as it stands. */
export function foreignReferences(text: string): readonly string[] {
  return (text.match(anyReference) ?? []).filter(candidate => findReferences(candidate).length === 0);
}

/**
 * Puts a value in the place of each reference. One pass: a value is never read for references itself, so that nobody
 * who controls a value can ask for another secret.
 */
export function replaceReferences(text: string, valueOf: (reference: Reference) => string): string {
  let result = '';
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    result += text.slice(end, match.index) + valueOf(asReference(match));
    end = match.index + match[0].length;
  }
  return result + text.slice(end);
}

/** A text as it may look once its references are resolved: the default where one is given, else `1`. */
export function previewReferences(text: string): string {
  return replaceReferences(text, reference => reference.fallback ?? '1');
}
