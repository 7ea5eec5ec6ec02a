import type { Redeem } from '../core/authorisation.ts';
import type { Deadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { OlderEra } from '../core/older-era.ts';
import type { CallClient } from '../core/ports/call-client.ts';
import type { VerdictKey, Verdicts } from '../core/ports/verdicts.ts';
import type { Revisions } from '../core/protocol-versions.ts';
import type { OnPhase, Opened, OpenRequest, Surroundings } from '../runners/runner.ts';
import type { Connection } from './connection.ts';

/** All that one connection needs; the caller binds the spec to its runner (`request => runner.open(spec, request)`). */
export interface ConnectionRequest {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly open: (request: OpenRequest) => Promise<Opened>;
  readonly deadlines: Deadlines;
  /** The revisions that may be spoken: all, or the one that the server's `protocol` setting names. */
  readonly revisions: Revisions;
  /**
   * Where a server of both eras may be spoken to on its older side too: `beside` the newer one (HTTP), `instead` of it
   * (a process, of which a second one is started before the first is ended), or only at its `next-start` (a container).
   */
  readonly olderSide: 'beside' | 'instead' | 'next-start';
  /** What earlier connections learned about its older side. */
  readonly olderEra?: OlderEra;
  /** Milliseconds for opening and negotiation together: `deadlines.open`, or `deadlines.openLauncher` for a package launcher. */
  readonly openWithin: number;
  /** Which of the server's deadlines that is, for those who may want to raise it. */
  readonly deadlineName: keyof Deadlines;
  /** Aborts the start; it then rejects with `cancelled`, only after everything that it opened is gone (R50). */
  readonly signal: AbortSignal;
  readonly verdicts: Verdicts;
  /** Of `verdictKey`: server, agent and credential. */
  readonly verdictKey: VerdictKey;
  /** Client capabilities that a 2025 server is told at `initialize`, whoever will call; a 2026 server hears with each call what its client can. */
  readonly declares: JsonObject;
  /** Who is behind calls that name no client, and is asked while none runs; nobody if not said. */
  readonly client?: CallClient;
  readonly redeem: Redeem;
  readonly onPhase: OnPhase;
  readonly around: Surroundings;
}

/**
 * Opens one server and negotiates with it. Resolves with a connection in state `discovering`: its first successful
 * `discover` makes it `ready`, and only then can it be called (R40). Rejects with the runner's own error,
 * `no-common-version`, `protocol-error`, `needs-login`, `unreachable`, `timeout` or `cancelled` when all that it opened
 * is gone, or with `UnfinishedStart` when something is left.
 */
export type OpenConnection = (request: ConnectionRequest) => Promise<Connection>;

/** A start that failed and could not be cleaned up either: its owner keeps it and calls `close` again (R54). */
export class UnfinishedStart extends LongshoreError {
  /** One more attempt with fresh budgets; rejects with `close-failed` while something is left. */
  readonly close: () => Promise<void>;

  constructor(message: string, startFailure: unknown, close: () => Promise<void>) {
    super('close-failed', message, { cause: startFailure });
    this.close = close;
  }
}
