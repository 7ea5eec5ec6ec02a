import { withEnvFile } from '../config/env-file.ts';
import { type ReferenceSources, resolveReferences } from '../config/resolve-references.ts';
import { secretValues } from '../config/secret-values.ts';
import type { Connection } from '../connections/connection.ts';
import { openConnection } from '../connections/open-connection.ts';
import { verdictKey } from '../connections/verdict-key.ts';
import type { Redeem } from '../core/authorisation.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { CallClient } from '../core/ports/call-client.ts';
import type { Verdicts } from '../core/ports/verdicts.ts';
import { revisionsOf } from '../core/protocol-versions.ts';
import { olderSideOf, openServer, openWithin, verdictSubject } from '../runners/index.ts';
import type { Surroundings } from '../runners/runner.ts';
import type { KnownSecret } from '../secrets/known-secrets.ts';
import type { Connect } from '../servers/fleet-deps.ts';
import { serverSpec } from '../servers/server-spec.ts';

/** What every start needs besides its plan. */
export interface ConnectDeps {
  readonly around: Surroundings;
  readonly references: ReferenceSources;
  readonly verdicts: Verdicts;
  /** Client capabilities that every 2025 server is told, instead of those of `clientFor`. */
  readonly declares?: JsonObject;
  /** Who answers for calls of that server that name no client of their own; nobody if not said. */
  readonly clientFor?: (agentId: AgentId, server: ServerKey) => CallClient;
  readonly redeem: Redeem;
  /** Told which values must be masked from now on, wherever they appear (S15). */
  onSecrets(secrets: readonly KnownSecret[]): void;
}

/** From a plan to a negotiated connection: references are resolved now and not a moment earlier. */
export async function connectServer(asked: Connect, needs: ConnectDeps): Promise<Connection> {
  const { agentId, serverKey, planned, olderEra, deadlines, signal, onPhase } = asked;
  const resolved = await withEnvFile(await resolveReferences(planned.config, needs.references));
  needs.onSecrets(secretValues(resolved));
  const spec = serverSpec(planned, resolved.config);
  const { around, verdicts, redeem } = needs;
  const client = needs.clientFor?.(agentId, serverKey);
  return await openConnection({
    agentId,
    serverKey,
    open: request => openServer(spec, request),
    deadlines,
    ...openWithin(spec, deadlines),
    revisions: revisionsOf(planned.config.protocol),
    olderSide: olderSideOf(spec),
    ...(olderEra && { olderEra }),
    signal,
    verdicts,
    verdictKey: verdictKey({ agentId, ...verdictSubject(spec) }),
    declares: needs.declares ?? client?.capabilities ?? {},
    ...(client && { client }),
    redeem,
    onPhase,
    around,
  });
}
