import type { EngineReport } from '../commands/operator-context.ts';
import { asLongshoreError } from '../core/errors.ts';
import { cut } from '../lib/cut.ts';
import { linkEngine } from '../runners/engine-link.ts';
import type { Surroundings } from '../runners/runner.ts';

/** Milliseconds that the engine may take to say that it is there. */
const patience = 3_000;
/** Milliseconds that an answer counts: a page asks often, and each time a program is started. */
const freshness = 10_000;

/** Asks the Docker engine whether it is there; never rejects. */
export function engineReporter(around: Surroundings): () => Promise<EngineReport> {
  let last: { readonly at: number; readonly report: Promise<EngineReport> } | undefined;
  return () => {
    const now = around.clock.now();
    if (last === undefined || now - last.at > freshness) last = { at: now, report: askEngine(around) };
    return last.report;
  };
}

async function askEngine(around: Surroundings): Promise<EngineReport> {
  try {
    const { cli } = await linkEngine({ program: 'docker', globals: [], env: {} }, around);
    const { code, stdout, stderr } = await cli.run(['version', '--format', '{{.Server.Version}}'], {
      deadline: patience,
    });
    if (code === 0) return { state: 'available', sentence: `Docker ${stdout.trim()} answers.` };
    const why = cut(stderr.trim().split('\n').at(-1) ?? '', 300);
    return { state: 'unavailable', sentence: `The Docker engine does not answer: ${why}` };
  } catch (error) {
    const { code, message } = asLongshoreError(error);
    if (code === 'timeout') return { state: 'unknown', sentence: 'The Docker engine takes very long to answer.' };
    return { state: 'unavailable', sentence: `Docker cannot be used: ${message}` };
  }
}
