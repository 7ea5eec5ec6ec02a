import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { errorTable } from '../../src/index.ts';
import { fixture, root } from './run-longshore.ts';

const page = readFileSync(join(root, 'docs', 'library.md'), 'utf8');

describe('docs/library.md', () => {
  it('has an example that runs as it says', { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longshore-example-'));
    try {
      const example = join(root, 'docs', 'examples', 'library.js');
      const args = [example, join(folder, 'home'), process.execPath, fixture('two-tools')];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
      expect(stdout.trim().split('\n')).toEqual([
        'tools: notes__echo, notes__fail',
        'unanswered: approval-pending',
        'approved: [{"type":"text","text":"hi"}]',
        'allowed: [{"type":"text","text":"ho"}]',
        'record: whole',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('names error codes and pages that there are', () => {
    const [table = ''] = page.match(/\| call \| gives[^]*?\n\n/) ?? [];
    const rejections = table
      .split('\n')
      .slice(2)
      .map(row => row.split('|').at(-2) ?? '');
    const codes = rejections.flatMap(text => text.replace('as `load`', '').match(/`[a-z-]+`/g) ?? []);
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter(code => !(code.slice(1, -1) in errorTable))).toEqual([]);
    const links = Array.from(page.matchAll(/\]\(([^)]+)\)/g), match => match[1] ?? '');
    expect(links.filter(link => !existsSync(join(root, 'docs', link)))).toEqual([]);
  });
});
