import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The numbers of docs/requirements.md (`R1` … `S15`), in its order. */
export function requirementNumbers(): readonly string[] {
  const page = readFileSync(join(root, 'docs', 'requirements.md'), 'utf8');
  return Array.from(page.matchAll(/^\| ([RS]\d+) \|/gm), match => match[1] ?? '');
}

/** The numbers that a test's title cites: `R57, R66: …`, `R51-R53: …`, or `… (S15)`. */
export function citedNumbers(title: string): readonly string[] {
  const citation = /^((?:[RS]\d+)(?:\s*(?:,|and|-|–)\s*[RS]?\d+)*):/.exec(title)?.[1];
  const inParentheses = Array.from(title.matchAll(/\(([RS]\d+(?:\s*[,–-]\s*[RS]\d+)*)\)/g), match => match[1] ?? '');
  return [citation ?? '', ...inParentheses].flatMap(text =>
    Array.from(text.matchAll(/([RS])(\d+)(?:\s*[–-]\s*[RS]?(\d+))?/g), match => {
      const first = Number(match[2]);
      const last = Number(match[3] ?? match[2]);
      return Array.from({ length: Math.max(0, last - first) + 1 }, (_, index) => `${match[1]}${first + index}`);
    }).flat(),
  );
}

/** Every text between quotes on one line of a source; titles are among them, and nothing else cites in their form. */
function quotedTexts(source: string): readonly string[] {
  return Array.from(source.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g), match => match[2] ?? '');
}

/** The test files that cite each number, sorted. */
export function citedTests(): ReadonlyMap<string, readonly string[]> {
  const cited = new Map<string, string[]>();
  for (const file of testFiles()) {
    const numbers = new Set(quotedTexts(readFileSync(join(root, file), 'utf8')).flatMap(citedNumbers));
    for (const number of numbers) cited.set(number, [...(cited.get(number) ?? []), file]);
  }
  return cited;
}

function testFiles(): readonly string[] {
  return ['src', 'test']
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter(
          entry => entry.isFile() && entry.name.endsWith('.test.ts') && !entry.parentPath.includes('node_modules'),
        )
        // Its own titles are examples.
        .filter(entry => entry.name !== 'requirements.test.ts')
        .map(entry => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/')),
    )
    .sort();
}
