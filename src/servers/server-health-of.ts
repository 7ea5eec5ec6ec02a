import type { Clock } from '../core/clock.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import { type ServerHealth, serverHealth } from '../core/server-health.ts';
import type { SavedLife } from '../core/server-life.ts';
import type { Registry } from '../governance/registry/registry.ts';
import type { Rules } from '../governance/rules/rules.ts';
import type { Redactor } from '../secrets/redact.ts';
import type { ManagedServer } from './managed-server.ts';

/** Dependencies of telling how a server is. */
export interface HealthDeps {
  readonly registry: Pick<Registry, 'list'>;
  readonly rules: Pick<Rules, 'list'>;
  readonly redactor: Pick<Redactor, 'text'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** One server, loaded or not. */
export interface HealthSubject {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly enabled: boolean;
  readonly life: SavedLife;
  readonly member: Pick<ManagedServer, 'listDiagnostics'> | undefined;
}

/** How a server is: the same word, sentence and action for every edge. Masked. */
export function serverHealthOf(subject: HealthSubject, deps: HealthDeps): ServerHealth {
  const { agentId, serverKey, enabled, life, member } = subject;
  const { registry, rules, redactor, clock } = deps;
  const facts = {
    serverKey,
    enabled,
    life,
    tools: registry.list(agentId, { ownerKey: serverKey, kind: 'tool' }).length,
    shortcomings: (member?.listDiagnostics ?? []).map(({ message }) => message),
    changedTools: rules
      .list(agentId)
      .flatMap(({ state, pin }) => (state === 'schema-changed' && pin?.ownerKey === serverKey ? [pin.handleName] : [])),
  };
  const health = serverHealth(facts, clock.now());
  return { ...health, sentence: redactor.text(health.sentence) };
}
