import type { Envelope } from '../commands/envelope.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/ports/log.ts';
import type { RawResult } from '../core/words.ts';

/** A tool of a server as the host's registry takes it; bound to the connection that advertised it (R40). */
export interface HostTool {
  /** The handle's name: at most 48 of A-Z a-z 0-9 _ -. */
  readonly name: string;
  readonly description: string | undefined;
  /** Verbatim, as the server sent it (R37). */
  readonly inputSchema: JsonObject;
  /** The revision negotiated with its server (R45). */
  readonly protocol_version: string;
  /**
   * Calls it once the host's own dispatch has allowed that. A tool's own failure (`isError`) is a result; rejects with a
   * LongshoreError, `denied` where a rule of the home says so, `stale-handle` once the server was reloaded.
   */
  execute(args: JsonObject, options?: { readonly signal?: AbortSignal }): Promise<RawResult>;
}

/** The host's dynamic registry of tools: where the model finds them, and where the host decides about calls. */
export interface HostRegistry {
  /** From now on the owner has exactly these tools; one step, nobody ever sees a half of it (R37). */
  replaceOwner(ownerKey: string, tools: readonly HostTool[]): void;
}

/** One of the operator's verbs, for the host's chat and for its dispatch alike. */
export interface HostCommand {
  /** As it is typed, `!mcp-load`. */
  readonly name: string;
  /** As a tool of the host, `mcp_load`: what the host's rules are about (R28). */
  readonly tool: string;
  readonly summary: string;
  /** What it takes as a tool. */
  readonly inputSchema: JsonObject;
  /** Runs a whole line as it was typed; never rejects. */
  run(line: string, signal?: AbortSignal): Promise<Envelope>;
  /** Runs it as a tool; never rejects. */
  execute(args: JsonObject, signal?: AbortSignal): Promise<Envelope>;
}

/** What the feature needs of the agent host it is in. */
export interface AgentHost {
  /** The agent's stable DID, read once; the only field that is looked at (R66). */
  readonly agentId: unknown;
  /** Without one no server can be loaded (R38). */
  readonly registry?: HostRegistry | undefined;
  readonly log?: Log;
  /** The folder of Longshore's home; default: LONGSHORE_HOME or the platform's data folder. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}
