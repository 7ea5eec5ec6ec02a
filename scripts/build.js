// Compiles src to dist, from nothing, so that a renamed file leaves no ghost behind.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
const compiled = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
// The page is served as it is.
cpSync(new URL('../src/cortex/page', import.meta.url), new URL('../dist/cortex/page', import.meta.url), {
  recursive: true,
  filter: source => !source.endsWith('.ts'),
});
process.exitCode = compiled.status ?? 1;
