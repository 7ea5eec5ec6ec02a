import type { CallerScope } from '../../core/caller-scope.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Done } from './service.ts';

/** GET /api/agents; POST /api/agents makes one (201). */
export interface AgentView {
  readonly agentId: string;
  /** Null for an agent that an embedding program named by its DID only. */
  readonly name: string | null;
  readonly isDefault: boolean;
  /** How many it has saved. */
  readonly servers: number;
  /** Null for those that were not added here. */
  readonly createdAt: number | null;
}

/** `name`: 1 to 64 of A-Z a-z 0-9 _ . -; taken ones are 409 `name-in-use`. Longshore makes it a DID of its own. */
export interface AddAgentRequest {
  readonly name: string;
}

/** GET /api/tokens: the clients with tokens of their own, revoked ones included; of all agents, or with ?agent= of one. */
export interface TokenView {
  readonly name: string;
  readonly caller: string;
  readonly agentId: string;
  readonly scope: CallerScope;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** POST /api/tokens?agent= (201); the only time that the token itself is shown. */
export interface CreateTokenRequest {
  readonly name: string;
  /** What is not said is not limited; managing servers is off. */
  readonly scope?: Partial<CallerScope>;
}

/** PATCH /api/tokens/:name; the token stays, and what is not said stays as it is. 404 `unknown-caller`. */
export interface PatchTokenRequest {
  readonly scope: Partial<CallerScope>;
}

export interface CreateTokenAnswer extends TokenView {
  readonly token: string;
}

/** POST /api/tokens/:name/tickets (201): good once, for a client over stdio. 404 `unknown-caller`. */
export interface TicketAnswer {
  readonly ticket: string;
  readonly expiresInSeconds: number;
}

/** DELETE /api/tokens/:name and DELETE /api/secrets/:name; `removed` is false if there was none. */
export interface RemoveNamedAnswer extends Done {
  readonly removed: boolean;
}

/** GET /api/secrets; never values. */
export interface SecretsAnswer {
  /** Where they are kept; null until the first is set. */
  readonly provider: 'keychain' | 'encrypted-file' | null;
  readonly secrets: readonly {
    readonly name: string;
    readonly provider: 'keychain' | 'encrypted-file';
    readonly updatedAt: number;
  }[];
}

/** PUT /api/secrets/:name. */
export interface PutSecretRequest {
  readonly value: string;
}

export interface PutSecretAnswer extends Done {
  readonly provider: 'keychain' | 'encrypted-file';
  /** One sentence about where secrets are kept from now on; only at the first use in this home. */
  readonly firstUse: string | null;
}

/** POST /api/commands: one line with a `!mcp-` verb. Answers 200 with the envelope, whatever its status. */
export interface CommandRequest {
  readonly line: string;
}

export interface CommandAnswer {
  readonly status: 'ok' | 'partial' | 'error';
  readonly confirmation?: string;
  readonly error?: string;
  readonly code?: ErrorCode;
  readonly data?: JsonObject;
}
