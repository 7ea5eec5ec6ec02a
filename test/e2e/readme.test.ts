import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { longshoreHome } from './longshore-home.ts';
import { root } from './run-longshore.ts';

async function documents(): Promise<readonly string[]> {
  const found = ['README.md', 'CHANGELOG.md'];
  for await (const path of glob('docs/**/*.md', { cwd: root })) found.push(path);
  return found;
}

describe('the documents', () => {
  it('R86: every command line of the README that needs no argument of yours does what it says', {
    timeout: 120_000,
  }, async () => {
    const text = await readFile(join(root, 'README.md'), 'utf8');
    const commands = [...text.matchAll(/^node bin\/longshore\.js (.+)$/gm)].map(match => match[1] ?? '');
    expect(text).toContain('npm ci && npm start');
    expect(commands.length).toBeGreaterThanOrEqual(5);
    await using home = longshoreHome();
    await home.serve();
    for (const command of commands) {
      const { code, stdout, stderr } = await home.run(...command.split(' '));
      // Without a terminal a call is held, as the README says.
      expect(code, `${command}: ${stderr}`).toBe(command.startsWith('call ') ? 7 : 0);
      expect(stdout + stderr).not.toBe('');
    }
  });

  it('name only files that exist', async () => {
    for (const document of await documents()) {
      const text = await readFile(join(root, document), 'utf8');
      const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(match => match[1] ?? '');
      for (const link of links.filter(one => !/^[a-z]+:/.test(one))) {
        expect(existsSync(join(root, document, '..', link)), `${document} links to ${link}`).toBe(true);
      }
      for (const [, path = ''] of text.matchAll(/`((?:src|test|bin|docs|scripts)\/[A-Za-z0-9._/-]+)`/g)) {
        expect(existsSync(join(root, path)), `${document} names ${path}`).toBe(true);
      }
    }
  });
});
