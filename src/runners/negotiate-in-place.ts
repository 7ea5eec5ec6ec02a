import type { Clock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import type { Verdict } from '../core/ports/verdicts.ts';
import type { Opened } from './runner.ts';
import type { BothAnswered, ProbeOptions } from './transport/probe.ts';

/** How one start asks: see `ProbeOptions`. */
export type Asking = Required<Pick<ProbeOptions, 'first' | 'patience'>>;

/** What bounds the starts of one opening. */
export interface StartsOptions {
  readonly verdict: Verdict | undefined;
  /** Milliseconds for all starts together. */
  readonly budget: number;
  readonly clock: Clock;
}

/** Milliseconds of silence after which `initialize` is sent too: to whom nobody knows, and to a server of 2026 that may be slow. */
const patience = { unknown: 1_000, modern: 5_000 } as const;

/**
 * Starts a server, and once more where the first start could not show its era: one that ended on the unknown first
 * question is asked for `initialize` alone, one that answered both questions for `server/discover`
 * alone, so that the era never depends on how fast it starts. Of two failures the first is told, because a start that
 * was asked less often fails for another reason.
 */
export async function negotiateInPlace<Found extends Pick<Opened, 'probe'> | object>(
  { verdict, budget, clock }: StartsOptions,
  start: (asking: Asking) => Promise<Found | BothAnswered>,
): Promise<Found> {
  const begun = clock.now();
  const first = verdict?.era === 'legacy' ? 'initialize' : 'discover';
  let found: Found | BothAnswered;
  try {
    found = await start({ first, patience: verdict?.era === 'modern' ? patience.modern : patience.unknown });
  } catch (error) {
    const hasTime = (clock.now() - begun) * 2 < budget;
    if (first !== 'discover' || !hasTime || !mayBeTheQuestion(error)) throw error;
    return await asLegacy(error, start);
  }
  if (!isBoth(found)) return found;
  const again = await start({ first: 'discover', patience: Number.POSITIVE_INFINITY });
  if (!isBoth(again)) return again;
  throw new LongshoreError('protocol-error', 'The server answered handshakes that it was not asked for.');
}

/** Its end was its answer to the question, so that it is legacy is worth remembering. */
async function asLegacy<Found extends Pick<Opened, 'probe'> | object>(
  failure: unknown,
  start: (asking: Asking) => Promise<Found | BothAnswered>,
): Promise<Found> {
  try {
    const found = await start({ first: 'initialize', patience: Number.POSITIVE_INFINITY });
    if (isBoth(found)) throw failure;
    const probe = 'probe' in found ? found.probe : undefined;
    return probe?.era === 'legacy' ? { ...found, probe: { ...probe, cacheable: true } } : found;
  } catch (error) {
    const stands = error instanceof LongshoreError && (error.code === 'cancelled' || error.code === 'close-failed');
    throw stands ? error : failure;
  }
}

function isBoth(found: object): found is BothAnswered {
  return 'era' in found && found.era === 'both';
}

const crash = /^\s*Traceback \(most recent call last\)|^\s+at .+:\d+:\d+\)?$|^(?:\w+\.)*\w*(?:Error|Exception)\b/m;
const aboutTheQuestion = /server\/discover|\bmethods?\b|\bJSON-?RPC|\binitiali[sz]|validation error|\brequest\b/i;

/** True for a server that ended before it had answered anything, unless it says that it crashed for another reason. */
function mayBeTheQuestion(error: unknown): boolean {
  if (!(error instanceof LongshoreError) || error.code !== 'failed-to-start') return false;
  const { exit, answered, stderr } = error.data ?? {};
  if (exit === undefined || answered !== false) return false;
  const said = Array.isArray(stderr) ? stderr.join('\n') : '';
  return !crash.test(said) || aboutTheQuestion.test(said);
}
