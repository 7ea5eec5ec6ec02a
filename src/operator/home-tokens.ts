import { LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import type { Audit } from '../governance/audit.ts';
import type { Callers, ClientCaller } from '../store/callers.ts';

/** The tokens of clients, with every change recorded before it is made. */
export interface HomeTokens {
  /** By time of creation, revoked ones included. */
  list(): Promise<readonly ClientCaller[]>;
  /** Shows the token this once. Rejects with `usage` for a bad name, `name-in-use`, `cannot-record`. */
  create(
    actor: string,
    name: string,
    agentId: AgentId,
  ): Promise<{ readonly caller: ClientCaller; readonly token: string }>;
  /** True if there was one; it is good for nothing from then on. */
  revoke(actor: string, name: string): Promise<boolean>;
}

export function homeTokens(callers: Callers, audit: Pick<Audit, 'change'>): HomeTokens {
  async function holder(name: string): Promise<ClientCaller | undefined> {
    return (await callers.list()).find(client => client.name === name && client.revokedAt === null);
  }

  return {
    list: () => callers.list(),
    async create(actor, name, agentId) {
      if (await holder(name)) {
        throw new LongshoreError(
          'name-in-use',
          `There is a caller ${name} already. Choose another name, or run: longshore token revoke ${name}`,
        );
      }
      await audit.change({ action: 'token_created', subject: name.slice(0, 64), agentId, caller: actor });
      return await callers.create(name, agentId);
    },
    async revoke(actor, name) {
      const client = await holder(name);
      if (!client) return false;
      await audit.change({ action: 'token_revoked', subject: name, agentId: client.agentId, caller: actor });
      return (await callers.revoke(name)) !== undefined;
    },
  };
}
