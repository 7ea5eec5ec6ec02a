import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provideHarness, requiredScenarios, runServerScenario } from './harness.ts';
import { allowedSkips, serverProfiles } from './profile.ts';
import { profileProblems } from './run.ts';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.ts';
import { judge } from './verdict.ts';

const long = 120_000;

const missing = await provideHarness();

describe.runIf(missing === undefined).each(serverProfiles)('the official harness at /mcp, $revision', profile => {
  const { revision, required, extra } = profile;
  let server: ServerUnderTest;
  beforeAll(async () => {
    server = await serverUnderTest(revision);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it.each([...required, ...extra])(
    '%s passes, with no failure to expect and no skip but the allowed ones',
    async scenario => {
      const verdict = judge(await runServerScenario(scenario, revision, server.url), allowedSkips[scenario] ?? []);
      for (const warning of verdict.warnings) console.warn(warning);
      expect(verdict.problems).toEqual([]);
      expect(verdict.passed).toBeGreaterThan(0);
    },
    long,
  );

  it(
    'requires of a server nothing that the profile lacks',
    async () => {
      expect(profileProblems(profile, await requiredScenarios(revision, 'server'))).toEqual([]);
    },
    long,
  );
});
