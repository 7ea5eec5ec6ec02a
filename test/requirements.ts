import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** One row of docs/requirements.md. */
export interface Requirement {
  /** `R1` … or `S1` …. */
  readonly number: string;
  /** The issues that owe it. */
  readonly owners: readonly string[];
  /** Paths of the test files that cite it, as the page lists them. */
  readonly listed: readonly string[];
}

const root = join(import.meta.dirname, '..');

/** The page that this file reads and rewrites. */
export const requirementsPage = join(root, 'docs', 'requirements.md');

const rowPattern = /^\| ([RS]\d+) \| (.+) \| (.+) \| (.*) \|$/;

/** The issues that have landed, from the page's front matter. */
export function landedIssues(page: string): readonly string[] {
  const list = /^landed: \[(.*)\]$/m.exec(page)?.[1] ?? '';
  return list
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
}

/** The rows of the page. */
export function requirementsIn(page: string): readonly Requirement[] {
  return page.split('\n').flatMap(line => {
    const [, number, , owners = '', tests = ''] = rowPattern.exec(line) ?? [];
    return number === undefined ? [] : [{ number, owners: owners.split('; '), listed: tests.match(/[^`, ]+/g) ?? [] }];
  });
}

/** The page with its last column as the tests are now. */
export function withTests(page: string, cited: ReadonlyMap<string, readonly string[]>): string {
  return page
    .split('\n')
    .map(line =>
      line.replace(rowPattern, (_, number: string, text: string, owners: string) => {
        const files = (cited.get(number) ?? []).map(file => `\`${file}\``).join(', ');
        return `| ${number} | ${text} | ${owners} | ${files} |`;
      }),
    )
    .join('\n');
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
