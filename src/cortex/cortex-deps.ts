import type { Clock } from '../core/clock.ts';
import type { RandomId } from '../core/ids.ts';
import type { Log } from '../core/ports/log.ts';
import type { Redactor } from '../secrets/redact.ts';
import type { Callers } from '../store/callers.ts';
import type { CortexEvent } from './event-feed.ts';
import type { Limits } from './limits.ts';

/** Dependencies of Cortex itself, whichever routes it has. */
export interface CortexDeps {
  readonly clock: Clock;
  readonly randomId: RandomId;
  readonly log: Log;
  readonly operatorToken: string;
  readonly callers: Pick<Callers, 'find'>;
  /** Names besides loopback by which Cortex may be reached: `--allow-host`. */
  readonly allowedHosts: readonly string[];
  readonly limits: Limits;
  /** Takes secrets out of what a problem says (S15). */
  readonly redactor: Pick<Redactor, 'text'>;
  /** False until what was saved is restored, and again once the service stops. */
  isReady(): boolean;
  /** Calls back at every change that watchers may care for; returns the way to stop. */
  onEvent(listener: (event: CortexEvent) => void): () => void;
}
