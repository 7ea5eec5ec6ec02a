import { type CallerScope, wholeScope } from '../core/caller-scope.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import type { Audit } from '../governance/audit/audit.ts';
import { recordedChange } from '../governance/audit/recorded-change.ts';
import { checkScope } from '../governance/dispatch/caller-scope.ts';
import { Mutex } from '../lib/mutex.ts';
import { nearestName } from '../lib/nearest-name.ts';
import { type Callers, type ClientCaller, checkCallerName } from '../store/callers.ts';

/** The tokens of clients, with every change recorded before it is made. */
export interface HomeTokens {
  /** By time of creation, revoked ones included. */
  list(): Promise<readonly ClientCaller[]>;
  /**
   * Shows the token this once; what of its scope is not said is not limited. Rejects with `usage` for a bad name or
   * scope, `name-in-use`, `cannot-record`.
   */
  create(
    actor: string,
    name: string,
    agentId: AgentId,
    scope?: Partial<CallerScope>,
  ): Promise<{ readonly caller: ClientCaller; readonly token: string }>;
  /** Changes what is said of a scope, for sessions and calls that are there already, too. Rejects with `unknown-caller`, `usage`, `cannot-record`. */
  setScope(actor: string, name: string, change: Partial<CallerScope>): Promise<ClientCaller>;
  /** True if there was one; it is good for nothing from then on. */
  revoke(actor: string, name: string): Promise<boolean>;
}

/** What the tokens of a home stand on. */
export interface HomeTokensDeps {
  readonly callers: Callers;
  readonly audit: Pick<Audit, 'change' | 'note'>;
  /** Told after every change. */
  readonly onChanged: (client: ClientCaller) => void;
}

export function homeTokens({ callers, audit, onChanged }: HomeTokensDeps): HomeTokens {
  // A change begins with what is there, so that two at once must not begin with the same.
  const changes = new Mutex();

  async function holder(name: string): Promise<ClientCaller | undefined> {
    return (await callers.list()).find(client => client.name === name && client.revokedAt === null);
  }

  async function unknown(name: string): Promise<LongshoreError> {
    const names = (await callers.list()).flatMap(client => (client.revokedAt === null ? [client.name] : []));
    const near = nearestName(name, names);
    const hint = near === undefined ? 'See: longshore token ls' : `Did you mean ${near}?`;
    return new LongshoreError('unknown-caller', `No client ${JSON.stringify(name)} has a token. ${hint}`);
  }

  return {
    list: () => callers.list(),
    async create(actor, name, agentId, asked = {}) {
      const scope = { ...wholeScope, ...asked };
      checkCallerName(name);
      checkScope(scope);
      if (await holder(name)) {
        throw new LongshoreError(
          'name-in-use',
          `There is a caller ${name} already. Choose another name, or run: longshore token revoke ${name}`,
        );
      }
      const detail = { args: asJson(scope) };
      const change = { action: 'token_created', subject: name, agentId, caller: actor, detail };
      const made = await recordedChange(audit, change, () => callers.create(name, agentId, scope));
      onChanged(made.caller);
      return made;
    },
    setScope: (actor, name, change) =>
      changes.run(async () => {
        const client = await holder(name);
        if (!client) throw await unknown(name);
        const scope = { ...client.scope, ...change };
        checkScope(scope);
        const detail = { args: asJson(scope) };
        const { agentId } = client;
        const entry = { action: 'token_scoped', subject: name, agentId, caller: actor, detail };
        const changed = await recordedChange(audit, entry, async () => {
          const found = await callers.setScope(name, scope);
          if (!found) throw await unknown(name);
          return found;
        });
        onChanged(changed);
        return changed;
      }),
    async revoke(actor, name) {
      const client = await holder(name);
      if (!client) return false;
      const entry = { action: 'token_revoked', subject: name, agentId: client.agentId, caller: actor };
      const revoked = await recordedChange(audit, entry, () => callers.revoke(name));
      if (revoked) onChanged(revoked);
      return revoked !== undefined;
    },
  };
}

/** As the record keeps it. */
function asJson({ servers, tools, risk, list, manages }: CallerScope) {
  return { servers, tools, risk, list: list === 'all' ? list : { pins: list.pins }, manages };
}
