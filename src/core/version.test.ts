import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientInfo, version } from './version.ts';

it("the version is the package's, and servers are told the same", () => {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  const manifest = JSON.parse(text) as { name: string; version: string };
  expect(version).toBe(manifest.version);
  expect(clientInfo).toEqual({ name: manifest.name, title: 'Longshore', version: manifest.version });
});
