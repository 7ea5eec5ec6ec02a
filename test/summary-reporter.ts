import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Ends a run with one plain line that any machine can read, and says loudly what this machine could not run. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const skippedModules = new Set<string>();
    for (const module of modules) {
      let tests = 0;
      for (const test of module.children.allTests()) {
        tests += 1;
        const { state } = test.result();
        if (state === 'pending') continue;
        counts[state] += 1;
        if (state === 'skipped') skippedModules.add(module.relativeModuleId);
      }
      // What stood before or behind a suite's tests; they count as skipped, which is not all there is to say.
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length > 0 ? 1 : 0;
      // A file that does not load has no tests to count, and must not pass for an empty one.
      if (tests === 0 && !module.ok()) counts.failed += 1;
    }
    counts.failed += unhandled.length;
    if (skippedModules.size > 0) {
      process.stdout.write(
        `NOT RUN on this machine, for the reasons said above: ${[...skippedModules].sort().join(', ')}\n`,
      );
    }
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}
