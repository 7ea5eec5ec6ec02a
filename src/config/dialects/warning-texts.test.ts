import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dialects } from './dialects.ts';
import { warningTexts } from './warning-texts.ts';

const docs = readFileSync(join(import.meta.dirname, '../../../docs/import.md'), 'utf8');

it('docs/import.md lists every warning with what it says, and every format', () => {
  const [, table = ''] = docs.split('## Warnings');
  const rows = Array.from(table.matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm), ([, code, text]) => [code, text]);
  expect(rows).toEqual(Object.entries(warningTexts));
  for (const { name } of dialects) expect(docs).toContain(`\`${name}\``);
});
