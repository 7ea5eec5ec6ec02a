/**
 * Runs the official harness over the declared profiles, one scenario at a time: `node test/conformance/run.ts [SIDE]`,
 * where SIDE is `client`, `server`, or `fixture`: the server behind `/mcp` examined directly, to tell its faults from
 * ours. Exit code 1, and every problem on stderr, unless all is well; the last line on stdout counts.
 */
import { startHttpFixture } from '../fixtures/http-server.ts';
import {
  type Pin,
  provideHarness,
  readPin,
  requiredScenarios,
  runClientScenario,
  runServerScenario,
} from './harness.ts';
import { allowedSkips, clientProfiles, isOutOfProfile, type Profile, serverProfiles } from './profile.ts';
import { serverUnderTest } from './server-under-test.ts';
import { judge, type ScenarioRun, type Verdict } from './verdict.ts';

/** Runs one scenario of a revision. */
export type RunScenario = (scenario: string, revision: string) => Promise<ScenarioRun>;

/** What is wrong with the pin: it must be one exact version, everywhere the same, with its integrity (R80, R84). */
export function pinProblems({ asked, lockAsked, locked, integrity, installed }: Pin): readonly string[] {
  const problems: string[] = [];
  if (asked === undefined || !/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?$/.test(asked)) {
    problems.push(`package.json asks for ${asked}, which is no exact version`);
  }
  for (const [place, version] of Object.entries({
    'the lock asks for': lockAsked,
    'the lock pins': locked,
    'installed is': installed,
  })) {
    if (version !== asked) problems.push(`package.json asks for ${asked}, but ${place} ${version}`);
  }
  if (integrity?.startsWith('sha512-') !== true) problems.push('the lock has no integrity for the harness');
  return problems;
}

/** Scenarios that a revision requires and that the profile neither runs nor sets aside, and the other way round (R84). */
export function profileProblems({ revision, required }: Profile, harness: readonly string[]): readonly string[] {
  const missing = harness.filter(scenario => !isOutOfProfile(scenario) && !required.includes(scenario));
  const unknown = required.filter(scenario => !harness.includes(scenario));
  return [
    ...missing.map(scenario => `${revision} requires ${scenario}, which the profile lacks`),
    ...unknown.map(scenario => `the profile names ${scenario}, which ${revision} does not require`),
  ];
}

/** Runs a profile's scenarios one after another and tells each as it ends. */
export async function runProfile(
  { revision, required, extra }: Profile,
  run: RunScenario,
  tell: (line: string) => void,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const scenario of [...required, ...extra]) {
    const verdict = judge(await run(scenario, revision), allowedSkips[scenario] ?? []);
    verdicts.push(verdict);
    tell(`${verdict.problems.length === 0 ? 'passed' : 'FAILED'} ${revision} ${scenario}: ${verdict.passed} checks`);
    for (const warning of verdict.warnings) tell(warning);
  }
  return verdicts;
}

/** One line that counts. */
export function summary(verdicts: readonly Verdict[]): string {
  const sum = (count: (verdict: Verdict) => number): number => verdicts.reduce((total, one) => total + count(one), 0);
  const good = verdicts.filter(({ problems }) => problems.length === 0).length;
  return [
    `conformance: ${good} of ${verdicts.length} scenarios passed`,
    `${sum(one => one.passed)} checks passed`,
    `${sum(one => one.problems.length)} problems`,
    `${sum(one => one.warnings.length)} warnings`,
    `${sum(one => one.skipped)} skipped as allowed`,
  ].join(', ');
}

/** What is examined, by the word on the command line. */
const examined: Readonly<
  Record<string, (profile: Profile, tell: (line: string) => void) => Promise<readonly Verdict[]>>
> = {
  client: (profile, tell) => runProfile(profile, runClientScenario, tell),
  async server(profile, tell) {
    await using server = await serverUnderTest(profile.revision);
    return await runProfile(profile, (scenario, revision) => runServerScenario(scenario, revision, server.url), tell);
  },
  async fixture(profile, tell) {
    await using server = await startHttpFixture('conformance-http.js');
    const url = `${server.origin}/mcp`;
    // What is not scored may need what only `/mcp` in front of it does.
    const required = { ...profile, extra: [] };
    return await runProfile(required, (scenario, revision) => runServerScenario(scenario, revision, url), tell);
  },
};

if (import.meta.main) {
  const [what] = process.argv.slice(2);
  const problems: string[] = [];
  const verdicts: Verdict[] = [];
  const missing = await provideHarness();
  if (missing !== undefined) problems.push(`The harness could not be installed:\n${missing}`);
  problems.push(...pinProblems(await readPin()));
  if (problems.length === 0) {
    for (const [name, examine] of Object.entries(examined)) {
      if (what === undefined ? name === 'fixture' : name !== what) continue;
      for (const profile of name === 'client' ? clientProfiles : serverProfiles) {
        problems.push(...profileProblems(profile, await requiredScenarios(profile.revision, profile.side)));
        verdicts.push(...(await examine(profile, line => console.log(line))));
      }
    }
    problems.push(...verdicts.flatMap(verdict => verdict.problems));
  }
  if (verdicts.length === 0) problems.push(`Nothing was examined; the sides are ${Object.keys(examined).join(', ')}.`);
  for (const problem of problems) console.error(problem);
  console.log(summary(verdicts));
  if (problems.length > 0) process.exitCode = 1;
}
