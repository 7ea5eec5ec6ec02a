import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inferTransport } from '../infer-transport.ts';
import { readForeignFile } from './read-foreign-file.ts';
import type { ForeignServer } from './types.ts';

interface Case {
  readonly id: string;
  readonly path: string;
  readonly text: string;
  readonly expect: { readonly servers?: readonly object[]; readonly error?: string };
  readonly warnings: readonly object[];
}

const fixtures = join(import.meta.dirname, '../../../test/fixtures/configs');
const cases = JSON.parse(readFileSync(join(fixtures, 'cases.json'), 'utf8')) as readonly Case[];

/** A server as the cases have it: by its short name, with the transport that it would be reached by. */
function asCase(server: ForeignServer): object {
  const { name, place, shortName, ...said } = server;
  expect([name.length > 0, typeof place]).toEqual([true, 'object']);
  return { ...said, name: shortName, transport: said.transport ?? inferTransport(said) };
}

const sorted = (warnings: readonly object[]) =>
  warnings.map(one => JSON.stringify(one, ['code', 'server', 'field'])).toSorted();

const isRefused = ({ expect: { error } }: Case) => error !== undefined;

describe('a file of another client', () => {
  it.each(cases.filter(one => !isRefused(one)).map(one => [one.id, one] as const))(
    'R20, R21: comes to its servers and warnings: %s',
    (_id, { path, text, expect: meant, warnings }) => {
      const read = readForeignFile({ path, text });
      expect(read.servers.map(asCase)).toEqual(meant.servers);
      expect(sorted(read.warnings)).toEqual(sorted(warnings));
    },
  );

  it.each(cases.filter(isRefused).map(one => [one.id, one] as const))(
    'R22: is refused as a whole: %s',
    (_id, { path, text, expect: { error } }) => {
      const data = expect.objectContaining({ reason: error }) as object;
      expect(() => readForeignFile({ path, text })).toThrow(expect.objectContaining({ code: 'bad-config', data }));
    },
  );
});
