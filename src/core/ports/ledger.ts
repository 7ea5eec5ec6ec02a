import type { AgentId, HoldingId, InstanceId, ServerKey } from '../ids.ts';

/** What kind of thing outside our process is ours. */
export type HoldingKind = 'process' | 'container' | 'gateway';

/** Any step may go to `failed`; from `failed` only `closing` is left. */
export type HoldingState = 'intent' | 'created' | 'started' | 'ready' | 'closing' | 'gone' | 'failed';

/** Which engine has a container: the command that asks it, and what of the environment names it. No secrets. */
export interface EngineAddress {
  readonly program: string;
  /** Flags before the command, such as `--context x`. */
  readonly globals: readonly string[];
  /** Beside our own environment: DOCKER_HOST … of the server's configuration. */
  readonly env: Readonly<Record<string, string>>;
}

/** One thing outside our process that is ours, recorded before it exists (R62). */
export interface Holding {
  readonly id: HoldingId;
  readonly kind: HoldingKind;
  readonly state: HoldingState;
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  /** The run of the host that made it; the home's lock proves older ones dead. */
  readonly instance: InstanceId;
  /** Random text in the environment of a process, or the value of our container label: the proof that it is ours. */
  readonly marker: string;
  /** Container name, if any. */
  readonly name: string | null;
  /** Image reference with its tag explicit, if any. */
  readonly image: string | null;
  /** Process-group id or the engine's container id, once known. */
  readonly engineId: string | null;
  /** Where a container is; `null` for a process. */
  readonly engine: EngineAddress | null;
  readonly lastError: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewHolding = Pick<Holding, 'kind' | 'agentId' | 'serverKey' | 'instance' | 'marker' | 'name' | 'image'> &
  Partial<Pick<Holding, 'engine'>>;
export type HoldingChange = Partial<Pick<Holding, 'state' | 'engineId' | 'lastError' | 'name'>>;

/** The durable table of holdings. A promise that resolved means: on disk. */
export interface Ledger {
  /** Writes a row in state `intent`, before the thing is created. */
  record(holding: NewHolding): Promise<Holding>;
  update(id: HoldingId, change: HoldingChange): Promise<void>;
  /** Removes the row; only after the thing was seen to be gone. */
  forget(id: HoldingId): Promise<void>;
  list(filter?: { agentId?: AgentId; serverKey?: ServerKey }): Promise<readonly Holding[]>;
}
