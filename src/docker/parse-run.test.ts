import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRun, printRun, type RunFlag } from './parse-run.ts';
import { globalFlagTable, runFlagTable } from './run-flags.ts';

const parsed = (...args: readonly string[]) => parseRun('docker', args);

/** Any flag in any of its spellings, as parsing gives it: a switch with or without a value, a value flag with one. */
function anyFlag(engine: 'docker' | 'podman', which: typeof runFlagTable): fc.Arbitrary<RunFlag> {
  const { shapes, aliases } = which(engine);
  const spellings = [...shapes.keys(), ...aliases.keys()];
  return fc
    .tuple(fc.constantFrom(...spellings), fc.string(), fc.boolean())
    .map(([spelled, text, explicit]): RunFlag => {
      const name = aliases.get(spelled) ?? spelled;
      if (shapes.get(name) === 'value') return { name, spelled, value: text };
      return explicit ? { name, spelled, value: text === '' ? 'true' : text } : { name, spelled };
    });
}

const image = fc.stringMatching(/^[a-z0-9][a-z0-9./:@_-]{0,30}$/);

describe('R12: parsing a docker run command', () => {
  it.each(['docker', 'podman'] as const)('gives back the same command after printing and parsing (%s)', engine => {
    const command = fc.record({
      globals: fc.array(anyFlag(engine, globalFlagTable), { maxLength: 3 }),
      verb: fc.constantFrom(['run'], ['container', 'run']),
      flags: fc.array(anyFlag(engine, runFlagTable), { maxLength: 12 }),
      image,
      command: fc.array(fc.string(), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(command, parts => {
        const run = { program: engine, engine, ...parts };
        expect(parseRun(engine, printRun(run))).toEqual(run);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps a value with its flag, however the two are written', () => {
    const run = parsed(
      'run',
      '--cap-add',
      'SYS_ADMIN',
      '-e=A=b',
      '-p80:80',
      '--env=C=--privileged',
      '-v',
      '-x',
      'img',
      '-it',
    );
    expect(run?.flags.map(({ name, value }) => [name, value])).toEqual([
      ['--cap-add', 'SYS_ADMIN'],
      ['--env', 'A=b'],
      ['--publish', '80:80'],
      ['--env', 'C=--privileged'],
      ['--volume', '-x'],
    ]);
    expect(run).toMatchObject({ image: 'img', command: ['-it'] });
  });

  it('takes clustered letters apart, the last of which may take a value', () => {
    expect(parsed('run', '-itp', '3000:3000', 'img')?.flags.map(({ name, value }) => [name, value])).toEqual([
      ['--interactive', undefined],
      ['--tty', undefined],
      ['--publish', '3000:3000'],
    ]);
    expect(parsed('run', '-iteFOO', 'img')?.flags.at(-1)).toMatchObject({ name: '--env', value: 'FOO' });
  });

  it('knows docker by any path, `container run`, and flags before the command', () => {
    const run = parseRun('/usr/local/bin/docker', ['-H', 'tcp://h:1', '--context=x', 'container', 'run', 'img', 'a']);
    expect(run).toMatchObject({ engine: 'docker', verb: ['container', 'run'], image: 'img', command: ['a'] });
    expect(run?.globals.map(({ name, value }) => [name, value])).toEqual([
      ['--host', 'tcp://h:1'],
      ['--context', 'x'],
    ]);
    expect(parseRun('C:\\Program Files\\Docker\\docker.EXE', ['run', 'img'])?.engine).toBe('docker');
    expect(parseRun('podman', ['--connection', 'vm', 'run', '--replace', 'img'])?.engine).toBe('podman');
  });

  it('leaves every other command alone', () => {
    expect(parsed('compose', 'run', 'web')).toBeUndefined();
    expect(parsed('exec', '-i', 'box', 'server')).toBeUndefined();
    expect(parsed('container', 'ls')).toBeUndefined();
    expect(parsed()).toBeUndefined();
    expect(parseRun('npx', ['docker', 'run', 'img'])).toBeUndefined();
    expect(parseRun('docker-compose', ['run', 'img'])).toBeUndefined();
  });

  it('stops at `--`, after which a word is the image whatever it looks like', () => {
    expect(parsed('run', '--rm', '--', 'img', '--flag')).toMatchObject({ image: 'img', command: ['--flag'] });
  });

  it('refuses what it cannot read instead of guessing where the image begins', () => {
    expect(() => parsed('run', '--brand-new', 'img')).toThrow(/--brand-new=VALUE/);
    expect(() => parsed('run', '-Z', 'img')).toThrow(/-Z/);
    expect(() => parsed('run', '--rm')).toThrow(/names no image/);
    expect(() => parsed('run', '--name')).toThrow(/--name needs a value/);
    expect(() => parsed('--brand-new', 'run', 'img')).toThrow(/--brand-new/);
    expect(parsed('run', '--brand-new=1', 'img')?.flags).toEqual([
      { name: '--brand-new', spelled: '--brand-new', value: '1' },
    ]);
  });
});
