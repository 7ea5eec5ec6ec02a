// Writes oxlint.floors.json, the linter's import bans, from the list of floors: `npx node scripts/lint-floors.ts`.
import { writeFileSync } from 'node:fs';
import { floors, forbiddenTo, packageHomes } from './floors.ts';

/** Relative specifiers of a room from files up to three folders below src. */
function specifiersOf(name: string): readonly string[] {
  const inside = name.endsWith('.ts') ? name : `${name}/**`;
  return ['../', '../../', '../../../'].map(up => up + inside);
}

function banOf(name: string): object {
  const bans = forbiddenTo(name);
  const isFile = name.endsWith('.ts');
  const group = bans.flatMap(ban => (isFile ? [ban.endsWith('.ts') ? `./${ban}` : `./${ban}/**`] : specifiersOf(ban)));
  const message = `src/${name} may import lower floors only (docs/architecture.md).`;
  const paths = packageHomes
    .filter(({ homes }) => !homes.includes(name))
    .flatMap(home => home.names.map(path => ({ name: path, message: home.message })));
  return {
    files: [isFile ? `src/${name}` : `src/${name}/**`],
    rules: { 'no-restricted-imports': ['error', { patterns: group.length > 0 ? [{ group, message }] : [], paths }] },
  };
}

/** Named here too: an extended configuration without them would bring the linter's default plugins along. */
const plugins = ['typescript', 'import', 'promise', 'vitest'];

/** The linter's configuration as text. */
export function lintFloors(): string {
  return `${JSON.stringify({ plugins, overrides: floors.flat().map(banOf) }, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(new URL('../oxlint.floors.json', import.meta.url), lintFloors());
