import type { Catalogs } from '../catalog/catalogs.ts';
import type { LongshoreError } from '../core/errors.ts';
import type { GatewayReport } from '../servers/gateway.ts';
import type { PlanSettings } from '../servers/plan.ts';
import type { ServerInfo } from '../servers/server-info.ts';

/** What is to be loaded. */
export interface LoadWish {
  /** An image, or the name of a saved server. */
  readonly ref: string;
  readonly settings?: PlanSettings & { readonly allowSecretArguments?: boolean };
}

/** A server that runs now. */
export interface LoadReport {
  readonly report: ServerInfo;
  /** True if it ran before it was asked for. */
  readonly ranBefore: boolean;
  /** Why it could not be saved; it runs all the same (R68). */
  readonly saveError: LongshoreError | undefined;
}

/** What an unload did, each part by itself (R60); a process that could not be ended is an error instead. */
export interface UnloadReport {
  readonly server: string;
  readonly process_removed: true | 'not_running';
  readonly handles_withdrawn: number;
  /** `false`: it stays saved. `failed`: `error` says why. */
  readonly saved_removed: boolean | 'not_saved' | 'failed';
  readonly error: LongshoreError | undefined;
  /** Names of secrets that were made for it and could not be removed. */
  readonly secrets_left: readonly string[];
}

/** Whether the Docker engine answers. */
export interface EngineReport {
  readonly state: 'available' | 'unavailable' | 'unknown';
  readonly sentence: string;
}

/** The Docker MCP Gateway of one agent. */
export interface GatewayControl {
  /** Replaces its servers by these (R29). Rejects with why nothing was started. */
  start(names: readonly string[], signal: AbortSignal): Promise<GatewayReport>;
  /** Stops it and forgets its servers (R30); false if there was nothing of either. */
  stop(): Promise<boolean>;
  /** What this process requested and observed (R76, R77); undefined if nothing was requested. */
  report(): Promise<GatewayReport | undefined>;
}

/** What the verbs stand on: one agent, as its operator sees it. */
export interface OperatorContext {
  /** Starts a server and saves it. Rejects with why it did not start. */
  load(wish: LoadWish, signal: AbortSignal): Promise<LoadReport>;
  /** Ends a server by whatever `load` took (R32). Rejects with `unknown-server` or `close-failed`. */
  unload(ref: string): Promise<UnloadReport>;
  /** Every server, those that failed or are only saved too, by name. */
  servers(): Promise<readonly ServerInfo[]>;
  engine(): Promise<EngineReport>;
  /** What can be loaded; nothing is started to find out (R75). */
  readonly catalogs: Catalogs;
  readonly gateway: GatewayControl;
  /** Records what the operator is about to do; rejects with `cannot-record`, and then it must not be done. */
  record(action: string, subject: string): Promise<void>;
}
