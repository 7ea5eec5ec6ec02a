import type { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import type { Deadlines } from '../core/deadlines.ts';
import type { AgentId, InstanceId, RandomId, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Holding, HoldingKind, Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { Verdict } from '../core/ports/verdicts.ts';
import type { Revisions } from '../core/protocol-versions.ts';
import type { Diagnostic, TransportName } from '../core/words.ts';
import type { ContainerContext } from './container-context.ts';
import type { Explanation } from './explanation.ts';
import type { ProbeAnswer } from './transport/probe.ts';
import type { Wire } from './transport/wire.ts';
import type { Watchdog } from './watchdog/watchdog.ts';

/** How a server's process or container ended; a remote server ends with `closed`. */
export type Exit =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'signalled'; readonly signal: string }
  | { readonly how: 'closed' };

/** The phases that a start goes through, told as they begin so that an edge can show them. */
export type OpenPhase =
  | 'looking-up'
  | 'pulling'
  | 'starting'
  | 'probing'
  | 'switching'
  | 'waiting-ready'
  | 'negotiating'
  | 'listing';

/** A progress line for a person: which phase, and what it is doing ("layer 3 of 8"). */
export type OnPhase = (phase: OpenPhase, detail?: string) => void;

/** The world around a start, handed in so that tests can hand in another. */
export interface Surroundings {
  /** Our own environment; servers get only the allow-listed part of it (R17). */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  /** Where servers without a `cwd` get folders of their own; without it they are started where this program was. */
  readonly serversFolder?: string | undefined;
  readonly pid: number;
  readonly instance: InstanceId;
  readonly clock: Clock;
  readonly randomId: RandomId;
  readonly log: Log;
  readonly ledger: Ledger;
  readonly watchdog: Watchdog;
  readonly containers: ContainerContext;
}

/** What one start is told. */
export interface OpenRequest {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly deadlines: Deadlines;
  /** Aborts the start; `open` then rejects only after everything that it opened is gone (R50). */
  readonly signal: AbortSignal;
  /** What an earlier start learned about this server with this credential. */
  readonly verdict?: Verdict;
  /** Client capabilities to declare where the runner negotiates in place. */
  readonly capabilities: JsonObject;
  /** The revisions that may be spoken. */
  readonly revisions: Revisions;
  readonly onPhase: OnPhase;
  readonly around: Surroundings;
}

/**
 * An opened server: a wire to speak on and a life to end. Both closing steps are idempotent and may run at the same
 * time; each rejects with `close-failed` if something of ours is left.
 */
export interface Opened {
  readonly wire: Wire;
  readonly transport: TransportName;
  /** What negotiation in place already learned; absent where the SDK negotiates (HTTP). */
  readonly probe?: ProbeAnswer;
  /** The revisions that this way to the server is for, where they are fewer than those that may be spoken. */
  readonly revisions?: Revisions;
  /** Settles when the server's process or container is gone; never rejects. */
  readonly exited: Promise<Exit>;
  /** The last lines of stderr (or of the container's log), control codes stripped, oldest first. */
  stderrTail(): readonly string[];
  /** How many lines there were in all, so that whoever reads again knows which are new. */
  stderrCount(): number;
  /** What a person should know about this server: noise on stdout, a guessed transport … */
  diagnostics(): readonly Diagnostic[];
  /**
   * Another way to the same server, after negotiation failed for that cause; `undefined` if there is none. It takes over
   * whatever this one holds: only the new one is closed, and if it rejects everything is gone.
   */
  fallback?(cause: unknown): Promise<Opened> | undefined;
  /** True for a way that is a guess: if it fails too, the failure of the way before it is what is told. */
  readonly isGuess?: boolean;
  /** Ends the session, then the process or container, politely first; done when all of it is gone. */
  closeGracefully(signal: AbortSignal): Promise<void>;
  /** Ends it at once: group SIGKILL, `docker rm -f`; verified. */
  closeForcibly(signal: AbortSignal): Promise<void>;
}

/** How long opening and negotiation may take together (R49), and the deadline that a person raises. */
export interface OpenBudget {
  /** Milliseconds. */
  readonly openWithin: number;
  readonly deadlineName: keyof Deadlines;
}

/** What identifies a server, and apart from it the credential that it is asked with: verdicts are kept by both. */
export interface RunnerIdentity {
  readonly server: JsonObject;
  readonly credential: JsonObject;
}

/** How rows of the ledger that a runner writes are made to be true of nothing. */
export interface HoldingRemoval {
  readonly kind: HoldingKind;
  /** Removes what the row stands for, proven by its marker; true if something of it was there. Rejects if any is left. */
  remove(holding: Holding, around: Surroundings): Promise<boolean>;
}

/** All there is to know of one kind of server; the table in `index.ts` names each once. */
export interface Runner<Spec> {
  /** What a server is started from; checked before anything else is done with it. */
  readonly spec: z.ZodType<Spec>;
  /** Opens a server; the errors are each runner's own. */
  open(spec: Spec, request: OpenRequest): Promise<Opened>;
  /** Runs nothing and asks no engine. Throws `bad-config` for what could not be run either. */
  explain(spec: Spec, agentId: AgentId, around: Surroundings): Promise<Explanation>;
  budget(spec: Spec, deadlines: Deadlines): OpenBudget;
  identity(spec: Spec): RunnerIdentity;
  /** See `ConnectionRequest.olderSide`: `next-start` where there cannot be two of one server. */
  readonly olderSide: 'beside' | 'instead' | 'next-start';
  /** Absent where nothing of a server is outside our process. */
  readonly reclaim?: HoldingRemoval;
}
