import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CortexApp } from '../cortex-env.ts';

const folder = join(import.meta.dirname, '..', 'page');

const files = [
  { path: '/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/page/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
  { path: '/page/page-parts.js', file: 'page-parts.js', type: 'text/javascript; charset=utf-8' },
  { path: '/page/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
] as const;

/** The small page: files that hold nothing of this home and are for everybody; what they show needs a sign-in. */
export function pageRoutes(app: CortexApp): void {
  for (const { path, file, type } of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    app.get(path, context => context.body(text, 200, { 'content-type': type }));
  }
}
