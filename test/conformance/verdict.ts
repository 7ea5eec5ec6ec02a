/** One line of the harness's checks.json, as far as we read it. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly errorMessage?: string | undefined;
}

/** One scenario as it was run. */
export interface ScenarioRun {
  readonly scenario: string;
  readonly revision: string;
  /** The harness's exit code; `null` if it had to be killed. */
  readonly exit: number | null;
  readonly checks: readonly Check[];
  /** What the harness and the client printed, for a failure's sake. */
  readonly output: string;
}

/** What a run comes to; it is good if it has no problems. */
export interface Verdict {
  readonly passed: number;
  readonly skipped: number;
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Judges one run (R81, R82): an exit code other than 0, no checks at all, a failed check, a skipped one that is not
 * allowed and a status that we do not know are problems. There is no list of failures to expect.
 */
export function judge(run: ScenarioRun, allowedSkips: readonly string[]): Verdict {
  const where = `${run.revision} ${run.scenario}`;
  const problems: string[] = [];
  const warnings: string[] = [];
  let passed = 0;
  let skipped = 0;
  for (const { id, name, status, errorMessage } of run.checks) {
    const line = `${where}: ${status} ${id} (${name})${errorMessage === undefined ? '' : `: ${errorMessage}`}`;
    if (status === 'SUCCESS') passed++;
    else if (status === 'WARNING') warnings.push(line);
    else if (status === 'SKIPPED' && allowedSkips.includes(name)) skipped++;
    else if (status !== 'INFO') problems.push(line);
  }
  if (passed === 0) problems.push(`${where}: no check passed`);
  if (run.exit !== 0) problems.push(`${where}: exit code ${run.exit}\n${run.output.trimEnd()}`);
  return { passed, skipped, warnings, problems };
}
