import type { ErrorCode } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { HealthAction, HealthState } from '../../core/server-health.ts';
import type { Diagnostic, ServerKind, TransportName } from '../../core/words.ts';
import type { Done } from './service.ts';

/** What is not part of an MCPServerConfig and belongs to how we run it. */
export interface ServerSettings {
  /** Flags that weaken a container's isolation may be used. */
  readonly allowUnsafe?: boolean;
  /** Secrets may stand in the command line. */
  readonly allowSecretArguments?: boolean;
  readonly container?: {
    readonly network?: 'bridge' | 'none';
    /** `source:target` or `source:target:ro`, absolute. */
    readonly mounts?: readonly string[];
    readonly memory?: string;
    readonly cpus?: number;
    readonly pids?: number;
  };
}

/** POST /api/mcp-servers: an MCPServerConfig (`url` counts as `endpoint`), with our settings beside it. */
export type AddServerRequest = JsonObject & { readonly name: string; readonly settings?: ServerSettings & JsonObject };

/** 201. */
export interface AddServerAnswer {
  readonly serverId: string;
  readonly name: string;
  /** Its server key. */
  readonly server: string;
  /** What is odd about the configuration, and where its secrets were put. */
  readonly notes: readonly Diagnostic[];
}

/**
 * PATCH /api/mcp-servers/:ref: the whole config anew, in which a masked value (`{ set: true }`) keeps what is stored; or
 * `enabled` alone.
 */
export type PatchServerRequest = (AddServerRequest & { readonly enabled?: boolean }) | { readonly enabled: boolean };

export interface PatchServerAnswer extends Done {
  readonly name: string;
  readonly notes: readonly Diagnostic[];
}

/** DELETE /api/mcp-servers/:ref, after the awaited cleanup; 502 `close-failed` leaves the row (R4, R60). */
export interface RemoveServerAnswer extends Done {
  readonly name: string;
  readonly process_removed: true | 'not_running';
  readonly handles_withdrawn: number;
}

/** POST /api/mcp-servers/:ref/refresh-tools. */
export interface RefreshToolsAnswer extends Done {
  readonly tools: readonly ToolName[];
}

export interface ToolName {
  /** The server's own name of it. */
  readonly toolName: string;
  readonly description?: string;
}

/** A tool of a server, mounted or only remembered. */
export interface NamedTool extends ToolName {
  readonly handleName: string;
  /** About how many tokens it takes of a model's context while it is listed: bytes of name, title, description and input schema / 4. */
  readonly tokenCost: number;
}

/** POST /api/mcp-servers/import-json: `json` is a text in one of the accepted shapes (R21). */
export interface ImportRequest {
  readonly json: string;
  readonly dryRun?: boolean;
}

/** One transaction (R22). In a dry run nothing was done, and `serverId` is null for what would be created. */
export interface ImportAnswer extends Done {
  /** created + updated. */
  readonly count: number;
  readonly created: readonly ImportedServer[];
  readonly updated: readonly ImportedServer[];
  readonly skipped: readonly { readonly index?: number; readonly key?: string; readonly reason: string }[];
}

export interface ImportedServer {
  readonly serverId: string | null;
  readonly name: string;
  readonly notes: readonly Diagnostic[];
}

/** One server, live or not: an entry of GET /api/mcp-servers (saved ones, by name) and of GET /api/mcp/status (all). */
export interface ServerView {
  /** Null for one that is loaded and not saved. */
  readonly serverId: string | null;
  /** The server key. */
  readonly server: string;
  readonly name: string;
  readonly kind: ServerKind;
  /** Values of env and headers are masked: `{ set: true }`. */
  readonly config: JsonObject;
  readonly image: string | null;
  readonly enabled: boolean;
  readonly state: HealthState;
  /** The one sentence and the one action of its state. */
  readonly sentence: string;
  readonly action: HealthAction;
  readonly needsAttention: boolean;
  readonly lastError: { readonly code: ErrorCode; readonly message: string } | null;
  readonly transport: TransportName | null;
  readonly protocol_version: string | null;
  /** Ids of its containers or process groups. */
  readonly holdings: readonly string[];
  readonly tools: readonly NamedTool[];
  /** Of all its tools together. */
  readonly tokenCost: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** GET /api/mcp/status (R33). */
export interface StatusAnswer {
  readonly docker: { readonly state: 'available' | 'unavailable' | 'unknown'; readonly sentence: string };
  /** What this process requested of the Docker MCP Gateway and observed (R76); null if it was not started. */
  readonly gateway: {
    readonly requested_servers: readonly string[];
    readonly observed_tools: readonly string[];
  } | null;
  readonly servers: readonly ServerView[];
  /** Saved by an older version and never started (R59). */
  readonly legacy: readonly { readonly name: string; readonly image: string | null; readonly sentence: string }[];
}

/** POST /api/mcp/load: an image, a saved server's name, or (later) a catalog name. */
export interface LoadRequest {
  readonly ref: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Behind the image's name. */
  readonly args?: readonly string[];
  readonly settings?: ServerSettings;
  /** Milliseconds, by name of the deadline. */
  readonly deadlines?: Readonly<Record<string, number>>;
}

/** POST /api/mcp/reload, unload and restart. */
export interface RefRequest {
  readonly ref: string;
}

/** What load, reload and restart give; a failure is a problem document. `error` and `code` say what of it was not done. */
export interface LoadAnswer {
  readonly status: 'ok' | 'partial';
  readonly confirmation: string;
  readonly error?: string;
  readonly code?: ErrorCode;
  readonly data: {
    readonly server: string;
    /** What `unload` takes for sure: the full id of an image's container, else the server key. */
    readonly resource_id: string;
    readonly kind: ServerKind;
    /** Ids of its containers or process groups. */
    readonly holdings: readonly string[];
    readonly image: string | null;
    readonly transport: TransportName;
    readonly protocol_version: string;
    readonly tools: readonly (ToolName & { readonly handleName: string })[];
    readonly notes: readonly Diagnostic[];
  };
}

/** POST /api/mcp/unload, each part by itself (R60). */
export interface UnloadAnswer {
  readonly status: 'ok' | 'partial';
  readonly confirmation: string;
  readonly error?: string;
  readonly code?: ErrorCode;
  readonly data: {
    readonly server: string;
    readonly saved_removed: boolean | 'not_saved' | 'failed';
    readonly process_removed: boolean | 'not_running' | 'failed';
    readonly handles_withdrawn: number;
  };
}

/**
 * GET /api/servers/:ref/logs?tail=N or ?after=NEXT: the last lines that it wrote to stderr, oldest first. `next` is the
 * number of the line that comes next: with `after` only lines from there on are given, so that a follower asks again.
 */
export interface LogsAnswer {
  readonly server: string;
  readonly lines: readonly string[];
  readonly next: number;
}

/** POST /api/mcp/explain: what `load` would start with the same body, or an MCPServerConfig under `config`. Runs nothing. */
export type ExplainRequest = LoadRequest | { readonly config: AddServerRequest };

export interface ExplainAnswer {
  readonly server: string;
  readonly name: string;
  readonly kind: ServerKind;
  /** The effective command line, secrets masked; null for a remote server. */
  readonly argv: readonly string[] | null;
  readonly cwd: string | null;
  readonly endpoint: string | null;
  readonly transport: TransportName | 'detected';
  /** Names of the variables and headers that it gets from its configuration, never values. */
  readonly env: readonly string[];
  readonly headers: readonly string[];
  /** What it may and may not reach, a sentence each. */
  readonly isolation: readonly string[];
  readonly risks: readonly Diagnostic[];
  readonly notes: readonly Diagnostic[];
}
