import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listedScenarios, provideHarness, readPin, requiredScenarios, runClientScenario } from './harness.ts';
import { allowedSkips, clientProfiles, isOutOfProfile } from './profile.ts';
import { pinProblems, profileProblems, summary } from './run.ts';
import { judge, type ScenarioRun } from './verdict.ts';

const long = 120_000;

const missing = await provideHarness();

describe.runIf(missing === undefined).each(clientProfiles)('the official harness, $revision', profile => {
  const { revision, required, extra } = profile;
  it.each([...required, ...extra])(
    'R80, R81, R82: our connection code passes %s, with no failure to expect and no skip but the allowed ones',
    async scenario => {
      const verdict = judge(await runClientScenario(scenario, revision), allowedSkips[scenario] ?? []);
      for (const warning of verdict.warnings) console.warn(warning);
      expect(verdict.problems).toEqual([]);
      expect(verdict.passed).toBeGreaterThan(0);
    },
    long,
  );

  it(
    'R84: requires nothing without OAuth that the profile lacks',
    async () => {
      const harness = await requiredScenarios(revision, 'client');
      expect(profileProblems(profile, harness)).toEqual([]);
      expect(harness.some(isOutOfProfile)).toBe(true);
    },
    long,
  );
});

describe.runIf(missing === undefined)('the official harness', () => {
  it(
    'R81, R83: does not take for a pass what we cannot do: a scenario of OAuth',
    async () => {
      const run = await runClientScenario('auth/metadata-default', '2026-07-28');
      expect(judge(run, []).problems).not.toEqual([]);
    },
    long,
  );
});

describe('the pin of the harness', () => {
  const pin = { asked: '1.2.3', lockAsked: '1.2.3', locked: '1.2.3', integrity: 'sha512-x', installed: '1.2.3' };

  it.runIf(missing === undefined)(
    'R80, R84: is one exact version in package.json, in the lock with its integrity, and on disk',
    async () => {
      expect(pinProblems(await readPin())).toEqual([]);
      expect((await readPin()).asked).toBe('0.2.0-alpha.12');
    },
  );

  it('R84: is wrong wherever one place disagrees', () => {
    expect(pinProblems(pin)).toEqual([]);
    for (const change of [
      { lockAsked: '1.2.4' },
      { locked: '1.2.4' },
      { installed: undefined },
      { integrity: undefined },
    ]) {
      expect(pinProblems({ ...pin, ...change })).toHaveLength(1);
    }
    for (const asked of ['^1.2.3', 'latest', '1.x']) {
      expect(pinProblems({ ...pin, asked, lockAsked: asked, locked: asked, installed: asked })).toHaveLength(1);
    }
  });

  it('R80: comes with a lock that names no registry', async () => {
    expect(await readFile(join(import.meta.dirname, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
  });
});

describe('the client that is examined', () => {
  it('R80: is our production connection code, and has no client of the SDK of its own', async () => {
    const client = await readFile(join(import.meta.dirname, 'client.ts'), 'utf8');
    expect(client).toContain("from '../../src/connections/open-connection.ts'");
    expect(client).toContain("from '../../src/runners/remote.ts'");
    expect(client).not.toContain('@modelcontextprotocol');
  });

  it('R81: is measured without a baseline of expected failures', async () => {
    const files = await readdir(import.meta.dirname);
    expect(files.filter(name => /\.ya?ml$/.test(name))).toEqual([]);
    expect(await readFile(join(import.meta.dirname, 'harness.ts'), 'utf8')).not.toContain('expected-failures');
  });
});

describe('what we say of conformance', () => {
  it('R83: is never that this is a conformant client', async () => {
    const root = join(import.meta.dirname, '../..');
    const files = ['README.md', 'CHANGELOG.md'].map(name => join(root, name));
    for (const folder of ['docs', 'src', 'ui'].map(name => join(root, name))) {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      files.push(...entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name)));
    }
    const texts = files.filter(path => /\.(?:md|ts|tsx|html)$/.test(path) && !path.includes('node_modules'));
    expect(texts.length).toBeGreaterThan(10);
    const claim = /\b(?:fully )?conform(?:ant|ing) (?:MCP )?client\b/i;
    const claiming: string[] = [];
    for (const path of texts) {
      if (claim.test(await readFile(path, 'utf8').catch(() => ''))) claiming.push(path);
    }
    expect(claiming).toEqual([]);
  });
});

describe('the verdict on a run', () => {
  const check = { id: 'a', name: 'A', status: 'SUCCESS' };
  const run = (more: Partial<ScenarioRun>): ScenarioRun => ({
    scenario: 's',
    revision: 'r',
    exit: 0,
    checks: [check],
    output: 'said',
    ...more,
  });

  it('R81: is bad for an exit code, no checks, a failure, or a status that we do not know', () => {
    expect(judge(run({}), [])).toEqual({ passed: 1, skipped: 0, warnings: [], problems: [] });
    expect(judge(run({ exit: 1 }), []).problems).toEqual(['r s: exit code 1\nsaid']);
    expect(judge(run({ exit: null }), []).problems).toHaveLength(1);
    expect(judge(run({ checks: [] }), []).problems).toEqual(['r s: no check passed']);
    for (const status of ['FAILURE', 'ODD']) {
      const failed = { ...check, status, errorMessage: 'why' };
      expect(judge(run({ checks: [check, failed] }), []).problems).toEqual([`r s: ${status} a (A): why`]);
    }
  });

  it('R82: is bad for a skip that is not allowed, and good for one that is', () => {
    const skipped = { ...check, name: 'B', status: 'SKIPPED' };
    expect(judge(run({ checks: [check, skipped] }), []).problems).toHaveLength(1);
    expect(judge(run({ checks: [check, skipped] }), ['B'])).toMatchObject({ skipped: 1, problems: [] });
  });

  it('R81: keeps warnings to be printed, and no infos', () => {
    const verdict = judge(run({ checks: [check, { ...check, status: 'WARNING' }, { ...check, status: 'INFO' }] }), []);
    expect(verdict).toMatchObject({ warnings: ['r s: WARNING a (A)'], problems: [] });
    expect(summary([verdict])).toBe(
      'conformance: 1 of 1 scenarios passed, 1 checks passed, 0 problems, 1 warnings, 0 skipped as allowed',
    );
  });

  it('R84: reads what is required from the harness, and misses nothing of it', () => {
    const list =
      'Server scenarios:\n  - server\n\nClient scenarios (test against a client):\n  - one\n  - auth/two\n\nRun:\n  - three\n';
    expect(listedScenarios(list, 'client')).toEqual(['one', 'auth/two']);
    expect(listedScenarios(list, 'server')).toEqual(['server']);
    expect(listedScenarios('nothing', 'client')).toEqual([]);
    const profile = { side: 'client', revision: '2026-07-28', required: ['one', 'old'], extra: [] } as const;
    expect(profileProblems(profile, ['one', 'new', 'auth/two'])).toEqual([
      '2026-07-28 requires new, which the profile lacks',
      'the profile names old, which 2026-07-28 does not require',
    ]);
  });
});
