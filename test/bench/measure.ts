/** One thing to measure: runs once and settles when it is done. */
export interface Candidate {
  readonly name: string;
  run(): Promise<void>;
  /** Clears up after each run, outside of the measured time. */
  after?(): Promise<void>;
}

/** The middle one of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Times candidates in turn, so that a machine whose speed drifts treats them alike, and gives the median milliseconds
 * of each. One round is run first and not counted.
 */
export async function timeInTurn(
  candidates: readonly Candidate[],
  rounds: number,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map(candidates.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const candidate of candidates) {
      const start = performance.now();
      await candidate.run();
      const taken = performance.now() - start;
      if (round > 0) times.get(candidate.name)?.push(taken);
      await candidate.after?.();
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

/** Prints the medians and each one's ratio to the first. */
export function report(title: string, medians: ReadonlyMap<string, number>): void {
  const [base] = medians.values();
  process.stdout.write(`${title}\n`);
  for (const [name, milliseconds] of medians) {
    const ratio = base === undefined ? Number.NaN : milliseconds / base;
    process.stdout.write(`  ${name.padEnd(44)} ${milliseconds.toFixed(1).padStart(9)} ms  ${ratio.toFixed(2)} ×\n`);
  }
}
