import type { LongshoreError } from '../core/errors.ts';
import type { ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { ServerHealth } from '../core/server-health.ts';
import type { SavedLife } from '../core/server-life.ts';
import type { Diagnostic, ServerKind, TransportName } from '../core/words.ts';
import type { SavedMode } from '../store/servers.ts';

/** Where a server is; what the fleet does not have has words of its own. */
export type ServerInfoState = SavedLife['name'] | 'disabled' | 'legacy' | 'restore-failed';

/** A tool of a server, mounted or only remembered. */
export interface ToolInfo {
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

/** What is known of one server: loaded, asleep, failed or only saved (R33, R58, R59). Masked (S15). */
export interface ServerInfo {
  /** Null for one that is loaded and not saved. */
  readonly serverId: string | null;
  readonly saved: boolean;
  /** Its server key. */
  readonly server: ServerKey;
  /** The full id of an image's container, else the server key. */
  readonly resourceId: string;
  /** What a person calls it: the name of a config, the reference of an image. */
  readonly name: string;
  readonly kind: ServerKind;
  /** Null for one that is not saved. */
  readonly mode: SavedMode | null;
  /** Values of variables and headers are `{ set: true }`; so are they given to `change` to keep them. */
  readonly config: JsonObject;
  /** With its tag explicit. */
  readonly image: string | null;
  /** False for a saved server that must not be started. */
  readonly enabled: boolean;
  readonly state: ServerInfoState;
  readonly health: ServerHealth;
  /** Why it is as it is: failed, restarting, legacy … */
  readonly error: LongshoreError | undefined;
  readonly transport: TransportName | null;
  /** Negotiated, or for one that is not connected the one it last had (R45). */
  readonly protocol_version: string | null;
  /** Why that one, in a sentence, where it is not simply the newest that both speak. */
  readonly protocolReason: string | null;
  /** Ids of its containers or process groups, from the ledger. */
  readonly holdings: readonly string[];
  /** What it offers, or was last seen to offer. */
  readonly tools: readonly ToolInfo[];
  /** Everything odd about its config, its connection, its lists, and what could not be mounted. */
  readonly diagnostics: readonly Diagnostic[];
  /** Who saved or changed it last. */
  readonly actor: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}
