import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { floors, forbiddenTo, packageHomes } from '../scripts/floors.ts';
import { lintFloors } from '../scripts/lint-floors.ts';

const root = join(import.meta.dirname, '..');
const rooms = floors.flat();

describe('the floors', () => {
  it('name every folder and file of src', () => {
    expect(readdirSync(join(root, 'src')).filter(name => !rooms.includes(name))).toEqual([]);
  });

  it('are what the linter is told; if not: npx node scripts/lint-floors.ts', () => {
    expect(JSON.parse(readFileSync(join(root, 'oxlint.floors.json'), 'utf8'))).toEqual(JSON.parse(lintFloors()));
  });

  it('are held by the linter: a file that breaks a rule is refused, for every rule, and from a subfolder too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longshore-floors-'));
    try {
      for (const file of ['.oxlintrc.json', 'oxlint.floors.json']) cpSync(join(root, file), join(folder, file));
      const expected = new Set<string>();
      const add = (path: string, specifier: string) => {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), `import ${JSON.stringify(specifier)};\n`);
        expected.add(path);
      };
      for (const room of rooms) {
        if (room.endsWith('.ts')) continue;
        for (const ban of forbiddenTo(room)) {
          const target = ban.endsWith('.ts') ? ban : `${ban}/x.ts`;
          add(`src/${room}/breaks-${ban}.ts`, `../${target}`);
          add(`src/${room}/below/breaks-${ban}.ts`, `../../${target}`);
        }
        for (const { names, homes } of packageHomes) {
          if (homes.includes(room)) continue;
          for (const name of names) add(`src/${room}/names-${name.replace(/\W/g, '-')}.ts`, name);
        }
      }
      expect(await refusedFiles(folder)).toEqual([...expected].toSorted());
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** The files in `folder` that the linter refuses for one of their imports, sorted. */
async function refusedFiles(folder: string): Promise<readonly string[]> {
  const oxlint = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const output = await new Promise<string>(resolve => {
    execFile(process.execPath, [oxlint, '--format', 'json', 'src'], { cwd: folder, maxBuffer: 64 << 20 }, (_, stdout) =>
      resolve(stdout),
    );
  });
  const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string }[] };
  const imports = diagnostics.filter(({ code }) => code.includes('no-restricted-imports'));
  return [...new Set(imports.map(({ filename }) => filename.replaceAll('\\', '/')))].toSorted();
}
