import type { LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { ServerHealth } from '../core/server-health.ts';
import type { Diagnostic, ServerKind, TransportName } from '../core/words.ts';

/** A tool of a server, mounted or only remembered. */
export interface ToolReport {
  /** Its name among the agent's tools. */
  readonly handleName: string;
  /** The name that the server itself uses. */
  readonly toolName: string;
  readonly description?: string;
  /** About how many tokens it takes of a model's context while it is listed. */
  readonly tokenCost: number;
  /** False for a tool that is known and cannot be called: its server is disabled, has failed, or lost its name. */
  readonly mounted: boolean;
}

/** Everything that an operator's edge tells of one server, live or only saved (R33, R58). Masked. */
export interface ServerReport {
  /** Null for one that is loaded and not saved. */
  readonly serverId: string | null;
  readonly server: string;
  /** What `unload` takes for sure: the full id of an image's container, else the server key. */
  readonly resourceId: string;
  /** What a person calls it. */
  readonly name: string;
  readonly kind: ServerKind;
  /** Values of env and headers are `{ set: true }`. */
  readonly config: JsonObject;
  readonly image: string | null;
  readonly enabled: boolean;
  /** Saved by an older version and never started (R59). */
  readonly isLegacy: boolean;
  readonly health: ServerHealth;
  readonly error: LongshoreError | undefined;
  readonly transport: TransportName | null;
  /** Negotiated, or for one that is not connected the one it last had (R45). */
  readonly protocolVersion: string | null;
  /** Why it is that one, where it is not simply the newest that both speak. */
  readonly protocolReason: string | null;
  /** Ids of its containers or process groups. */
  readonly holdings: readonly string[];
  readonly tools: readonly ToolReport[];
  readonly diagnostics: readonly Diagnostic[];
}
