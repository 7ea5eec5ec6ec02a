import type { JsonObject } from '../../core/json.ts';
import type { Diagnostic, RawResult } from '../../core/words.ts';
import type { ApprovalView } from './governance.ts';
import type { Done } from './service.ts';

/**
 * GET /api/tools: every tool that can be called; `?server=REF` those of one server, `?tool=NAME` the one that is meant by
 * a handle name, or by `server.tool` with the longest known server key before a dot. With `server` or `tool`, a server
 * whose tools were never seen is started to see them; without, nothing is started. Fails with `unknown-server` or
 * `unknown-tool`, naming the nearest.
 */
export type ToolsAnswer = readonly ToolView[];

export interface ToolView {
  /** The handle's name. */
  readonly name: string;
  /** Server key. */
  readonly server: string;
  /** The server's own name of it. */
  readonly tool: string;
  /** What `invoke` takes: `mcp:<serverId>:<URL-encoded tool>`, or the handle's name where the server is not saved. */
  readonly toolId: string;
  /** Verbatim: name, title, description, inputSchema, outputSchema, annotations … */
  readonly definition: JsonObject & { readonly name: string };
  /** About how many tokens it takes of a model's context while it is listed: bytes of name, title, description and input schema / 4. */
  readonly tokenCost: number;
  readonly protocol_version: string;
}

/** GET /api/tools/catalog: D1's list for a form, each tool with its parameters and how it was used lately. */
export type ToolsCatalogAnswer = readonly CatalogTool[];

export interface CatalogTool {
  /** A ToolView's `toolId`. */
  readonly id: string;
  readonly kind: 'mcp';
  /** The handle's name. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** The top level of its input schema. */
  readonly parameters: readonly {
    readonly name: string;
    readonly type: string;
    readonly required: boolean;
    readonly description?: string;
  }[];
  /** A ToolView's `tokenCost`. */
  readonly tokenCost: number;
  readonly executable: boolean;
  readonly executableHint?: string;
  readonly serverId: string | null;
  readonly serverName: string;
  /** Of the last 20,000 rows of the record; null where there is nothing to tell. */
  readonly metrics: {
    readonly callCount: number;
    readonly successRatePct: number | null;
    readonly avgDurationMs: number | null;
    readonly lastUsedAt: number | null;
  };
}

/** POST /api/tools/invoke, through governed dispatch, as `operator`. */
export interface InvokeRequest {
  /** A ToolView's `toolId`, or a handle's name. */
  readonly toolId: string;
  readonly arguments?: JsonObject;
  /** Milliseconds to wait for a decision before the answer is 202; 0 if not said. */
  readonly patience?: number;
  /** Milliseconds without progress, and in all; waiting for a decision counts in neither. */
  readonly idleTimeout?: number;
  readonly totalTimeout?: number;
}

/** 200: it ran. `success` is false where the tool itself says that it failed (`isError`). */
export interface InvokeAnswer extends Done {
  /** The handle's name. */
  readonly toolName: string;
  readonly success: boolean;
  /** Verbatim. */
  readonly result: RawResult;
  readonly executionTimeMs: number;
  readonly warnings: readonly Diagnostic[];
  readonly dispatchId: string;
}

/** 202: it waits for the operator. Once it is approved the same request runs. */
export interface InvokePending {
  readonly approvalId: string;
  readonly approval: ApprovalView;
}
