import type { PlannedServer } from '../config/planned-server.ts';
import type { Connection, Notice } from '../connections/connection.ts';
import type { Clock } from '../core/clock.ts';
import type { Deadlines } from '../core/deadlines.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { OlderEra } from '../core/older-era.ts';
import type { Log } from '../core/ports/log.ts';
import type { Mount } from '../core/ports/mount.ts';
import type { OnPhase } from '../runners/runner.ts';
import type { ServerMember } from './server-member.ts';

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

/** What every server of the fleet stands on. */
export interface MemberNeeds {
  readonly deadlines: Deadlines;
  readonly log: Log;
  readonly mount: Mount;
  /** Resolves the plan's references, opens the server with its runner and negotiates. */
  connect(request: Connect): Promise<Connection>;
  /** Removes whatever the ledger still holds of that server and returns how many there were; rejects with `close-failed`. */
  reclaim(agentId: AgentId, serverKey: ServerKey): Promise<number>;
  /** Told at every change of a server's state. */
  onState(member: ServerMember): void;
  /** Told what a server says unasked. */
  onNotice(member: ServerMember, notice: Notice): void;
  /** True if it is started again when it ends by itself: then its tools stay listed meanwhile. */
  comesBack(member: ServerMember): boolean;
  /** Told when a server is down and nothing of it is left: it did not start, or it ended by itself. */
  onDown(member: ServerMember): void;
}

/** What the fleet is handed by the host. */
export interface FleetNeeds extends Omit<MemberNeeds, 'comesBack' | 'onDown'> {
  readonly clock: Clock;
  /** Milliseconds since the last use of a server; `undefined` while a call of it waits or runs. */
  idleFor(agentId: AgentId, serverKey: ServerKey): number | undefined;
}
