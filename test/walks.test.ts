import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The files that a file of ours imports, types included, from the root. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/\bfrom '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path));
}

/** The steps of the walks as docs/architecture.md draws them. */
function steps(): readonly { readonly from: string; readonly arrow: string; readonly to: string }[] {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const section = /## A load, a call, an end\n([\s\S]*?)\n## /.exec(text)?.[1] ?? '';
  const arrows = /`(src\/[\w./-]+\.ts)`(?: \([^)]*\))? (→|⇢) (?=`(src\/[\w./-]+\.ts)`)/g;
  return [...section.matchAll(arrows)].map(([, from = '', arrow = '', to = '']) => ({ from, arrow, to }));
}

const hostFiles = readdirSync(join(root, 'src/host'))
  .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map(name => join('src/host', name));

describe('the walks of docs/architecture.md', () => {
  it('are drawn: a load, a call, an end, and a call of a client', () => {
    const drawn = steps();
    expect(drawn.length).toBeGreaterThan(20);
    for (const station of ['load-server', 'dispatcher', 'dispose-host', 'mcp-gate']) {
      expect(drawn.some(({ from, to }) => `${from} ${to}`.includes(station))).toBe(true);
    }
  });

  it.each(steps().filter(({ arrow }) => arrow === '→'))('$from imports $to', ({ from, to }) => {
    expect(importsOf(from)).toContain(to);
  });

  it.each(steps().filter(({ arrow }) => arrow === '⇢'))('$from does not know $to, which the host hands in', step => {
    const { from, to } = step;
    expect(importsOf(from)).not.toContain(to);
    expect(to.startsWith('src/host/') || hostFiles.some(file => reaches(file, to, 2))).toBe(true);
  });
});

/** True if a file imports another, itself or by a few files between. */
function reaches(file: string, to: string, depth: number): boolean {
  const imports = importsOf(file).filter(path => path.startsWith('src/'));
  return imports.includes(to) || (depth > 1 && imports.some(path => reaches(path, to, depth - 1)));
}
