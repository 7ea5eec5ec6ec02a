import type { PlannedServer } from '../config/planned-server.ts';
import type { Connection, Notice } from '../connections/connection.ts';
import type { Clock } from '../core/clock.ts';
import type { Deadlines } from '../core/deadlines.ts';
import type { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { OlderEra } from '../core/older-era.ts';
import type { Log } from '../core/ports/log.ts';
import type { Mount } from '../core/ports/mount.ts';
import type { DownState } from '../core/server-life.ts';
import type { OnPhase } from '../runners/runner.ts';
import type { ManagedServer } from './managed-server.ts';

/** One start, as the fleet asks for it. */
export interface Connect {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly planned: PlannedServer;
  /** What was learned about its older revisions. */
  readonly olderEra?: OlderEra;
  readonly deadlines: Deadlines;
  readonly signal: AbortSignal;
  readonly onPhase: OnPhase;
}

/** Dependencies of every server of the fleet. */
export interface ServerDeps {
  readonly deadlines: Deadlines;
  readonly log: Log;
  readonly mount: Mount;
  /** Resolves the plan's references, opens the server with its runner and negotiates. */
  connect(request: Connect): Promise<Connection>;
  /**
   * Removes whatever the ledger still holds of that server and returns how much of it was really there; rejects with
   * `close-failed`.
   */
  reclaim(agentId: AgentId, serverKey: ServerKey): Promise<number>;
  /** Told at every change of a server's state. */
  onState(server: ManagedServer): void;
  /** Told what a server says unasked. */
  onNotice(server: ManagedServer, notice: Notice): void;
  /** True if it is started again when it ends by itself: then its tools stay listed meanwhile. */
  comesBack(server: ManagedServer): boolean;
  /** What becomes of a server that did not start, or ended by itself: its next state, known before anybody is told. */
  afterFailure(server: ManagedServer, error: LongshoreError): DownState;
  /** Told that something is left of a server that ended by itself: nothing may start it until that is gone. */
  onStuck(server: ManagedServer): void;
}

/** Dependencies of the fleet. */
export interface FleetDeps extends Omit<ServerDeps, 'comesBack' | 'afterFailure' | 'onStuck'> {
  readonly clock: Clock;
  /** How many things outside of this process the ledger knows to exist for a server. */
  held(agentId: AgentId, serverKey: ServerKey): Promise<number>;
  /** The owners of everything that this run still has in the ledger, whoever put it there. */
  owners(): Promise<readonly { readonly agentId: AgentId; readonly serverKey: ServerKey }[]>;
  /** Milliseconds since the last use of a server; `undefined` while a call of it waits or runs. */
  idleFor(agentId: AgentId, serverKey: ServerKey): number | undefined;
}
