import { readFileSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import { parseServiceNote } from '../core/service-note.ts';

/** Milliseconds between two looks. */
const lookEvery = 2_000;

/**
 * Resolves once the note beside a home's lock is gone or another process's: the home was removed, or another one stands
 * in its place, and nobody can reach this service any more. Rejects with the signal's reason.
 */
export async function homeGone(note: string, pid: number, clock: Clock, signal: AbortSignal): Promise<void> {
  do await clock.sleep(lookEvery, signal);
  while (holder(note) === pid);
}

function holder(note: string): number | undefined {
  try {
    return parseServiceNote(readFileSync(note, 'utf8'))?.pid;
  } catch {
    return undefined;
  }
}
