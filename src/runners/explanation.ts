import type { ServerKind } from '../core/words.ts';
import type { Risk } from '../docker/run-risks.ts';

/** What starting a server would do, told without doing any of it. References are shown, not resolved. */
export interface Explanation {
  readonly kind: ServerKind;
  /** Program and arguments as they would be run; empty for a remote server. */
  readonly command: readonly string[];
  readonly url: string | undefined;
  /** Names only: values are never shown. */
  readonly environment: readonly string[];
  readonly headers: readonly string[];
  /** What keeps it from the rest of the machine, one sentence each. */
  readonly isolation: readonly string[];
  readonly risks: readonly Risk[];
  /** What was taken over or will surprise. */
  readonly notes: readonly string[];
}

/** The parts of an explanation that a kind of server has nothing to say of. */
export const nothingToExplain = { url: undefined, headers: [], notes: [] } as const;
