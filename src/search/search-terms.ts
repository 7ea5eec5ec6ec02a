/** Scripts that are written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** What is said in a query without saying anything of a tool. */
const empty = new Set('a an and are as at be by for from in into is it of on or that the this to with'.split(' '));

/** More of a query tells nothing, and each word is looked for with its misspellings. */
const longestQuery = 1_000;
const mostTerms = 32;
const longestTerm = 64;

/**
 * The words of a text as they are searched: lower case without accents, `snake_case` and `camelCase` taken apart and also
 * kept whole, scripts without spaces divided into words, English plurals as one. A text of nothing but small words keeps them.
 */
export function searchTerms(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    for (const term of unspaced.test(run) ? segmented(run) : parts(run)) terms.push(term.slice(0, longestTerm));
  }
  const telling = terms.filter(term => !empty.has(term));
  return (telling.length > 0 ? telling : terms).map(singular);
}

/** The terms of what somebody asks for: the first thirty-two, of its first thousand characters. */
export function queryTerms(query: string): string[] {
  return searchTerms(query.slice(0, longestQuery)).slice(0, mostTerms);
}

/** `readFile2` → `read`, `file`, `2`, `readfile2`. */
function parts(run: string): readonly string[] {
  const found = run.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+|\p{N}+/gu) ?? [];
  const lower = found.map(part => part.toLowerCase());
  return found.length > 1 ? [...lower, run.toLowerCase()] : [run.toLowerCase()];
}

function singular(term: string): string {
  if (term.length < 4 || !/[^isu]s$/.test(term)) return term;
  return term.endsWith('ies') ? `${term.slice(0, -3)}y` : term.slice(0, -1);
}

function segmented(run: string): readonly string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of new Intl.Segmenter('en', { granularity: 'word' }).segment(run)) {
    if (isWordLike === true) words.push(segment.toLowerCase());
  }
  return words;
}
