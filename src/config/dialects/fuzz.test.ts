import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LongshoreError } from '../../core/errors.ts';
import { readForeignFile } from './read-foreign-file.ts';
import { settle } from './settle.ts';

const fixtures = join(import.meta.dirname, '../../../test/fixtures/configs');
const cases = JSON.parse(readFileSync(join(fixtures, 'cases.json'), 'utf8')) as readonly {
  readonly path: string;
  readonly text: string;
}[];

/** Runs more often by hand: LONGSHORE_FUZZ_RUNS=10000. */
const numRuns = Number(process.env['LONGSHORE_FUZZ_RUNS'] ?? 400);

/** What a text comes to; only a refusal in our own words is one. */
function taken(path: string | undefined, text: string): 'read' | 'refused' | 'broken' {
  try {
    const read = readForeignFile({ text, ...(path !== undefined && { path }) });
    const ground = { platform: 'linux', home: '/home/ann', folder: '/work', inputs: read.inputs } as const;
    return read.servers.every(server => settle(server, ground).config.name !== '') ? 'read' : 'broken';
  } catch (error) {
    return error instanceof LongshoreError && error.code === 'bad-config' ? 'refused' : 'broken';
  }
}

const someCase = fc.constantFrom(...cases);

describe('whatever a file holds', () => {
  it('is read or refused, where single characters were changed', () => {
    const edit = fc.record({
      at: fc.nat(2_000),
      drop: fc.nat(5),
      put: fc.oneof(
        fc.string({ maxLength: 4 }),
        fc.constantFrom('{', '[', '"', ':', ',', '\\', '&a', '*a', '<<', '\0', '\ud800'),
      ),
    });
    fc.assert(
      fc.property(someCase, fc.array(edit, { minLength: 1, maxLength: 6 }), ({ path, text }, edits) => {
        let changed = text;
        for (const { at, drop, put } of edits) {
          const from = at % (changed.length + 1);
          changed = changed.slice(0, from) + put + changed.slice(from + drop);
        }
        expect(taken(path, changed)).not.toBe('broken');
      }),
      { numRuns },
    );
  });

  it('is read or refused, where values of any kind stand anywhere', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('${input:}', '${', '~/', '%A%', '$(x)', '{{x}}', '${cmd:x}', 'cmd'),
    );
    const field = fc.constantFrom(
      'command',
      'args',
      'env',
      'url',
      'type',
      'headers',
      'tools',
      'timeout',
      'name',
      'cwd',
      'disabled',
      'transport',
      'env_keys',
      'env_vars',
      '__proto__',
      'constructor',
    );
    const root = fc.constantFrom(
      'mcpServers',
      'servers',
      'mcp',
      'context_servers',
      'extensions',
      'mcp_servers',
      'amp.mcpServers',
    );
    const entry = fc.oneof(value, fc.dictionary(field, value));
    const paths = fc.constantFrom(
      undefined,
      ...cases.filter(({ path }) => /\.jsonc?$/.test(path)).map(({ path }) => path),
    );
    fc.assert(
      fc.property(paths, root, fc.oneof(fc.dictionary(fc.string(), entry), fc.array(entry)), (path, key, servers) => {
        expect(taken(path, JSON.stringify({ [key]: servers }))).not.toBe('broken');
      }),
      { numRuns },
    );
  });

  it('is refused where it is deeper or larger than any configuration, in every syntax', () => {
    const deep = ['['.repeat(50_000), '{"a":'.repeat(50_000), '- '.repeat(50_000), `a = ${'['.repeat(50_000)}`];
    const laughs = Array.from('bcdefgh', (name, at) => `${name}: &${name} [${`*${'abcdefgh'.charAt(at)},`.repeat(9)}]`);
    const texts = [...deep, ['a: &a [x,x,x,x,x,x,x,x,x]', ...laughs].join('\n')];
    const came = texts.flatMap(text => ['x.json', 'x.yaml', 'x.toml'].map(path => taken(path, text)));
    expect([...new Set(came)]).toEqual(['refused']);
  });
});
