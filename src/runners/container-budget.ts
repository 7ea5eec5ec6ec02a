import type { Deadlines } from '../core/deadlines.ts';
import type { OpenBudget } from './runner.ts';

/** A container has to come up before it can say in which way it speaks, and is then negotiated with. */
export function containerBudget(_spec: unknown, deadlines: Deadlines): OpenBudget {
  return { openWithin: deadlines.containerReady + deadlines.open, deadlineName: 'containerReady' };
}
