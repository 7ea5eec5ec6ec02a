import { LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import type { Fleet } from './fleet.ts';

/** The error for a ref that means nothing that is loaded, naming what is. */
export function notLoaded(fleet: Fleet, agentId: AgentId, ref: string): LongshoreError {
  const names = fleet.list(agentId).map(one => one.serverKey);
  const known = names.length === 0 ? 'no server is loaded' : `loaded are ${names.join(', ')}`;
  return new LongshoreError('unknown-server', `There is no server ${JSON.stringify(ref)}: ${known}.`);
}
