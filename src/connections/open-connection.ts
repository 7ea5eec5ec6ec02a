import { LongshoreError } from '../core/errors.ts';
import { isOlderOnly } from '../core/older-era.ts';
import type { ConnectionRequest, OpenConnection } from './connection-request.ts';
import type { NegotiatedConnection } from './negotiated-connection.ts';
import { onOlderSide, openNegotiated } from './open-negotiated.ts';
import { mayBlameVerdict } from './start-failure.ts';
import { TwoEraConnection } from './two-era-connection.ts';

/** See `OpenConnection`. */
export const openConnection: OpenConnection = async request => {
  const older = await openLearned(request);
  if (older !== undefined) return older;
  const { clock } = request.around;
  const begun = clock.now();
  const newest = await openNegotiated(request);
  const mayHaveOlder = newest.era === 'modern' && request.revisions.legacy.length > 0;
  return mayHaveOlder ? new TwoEraConnection(request, newest, clock.now() - begun) : newest;
};

/** The older side alone, where that is what was learned and still true. */
async function openLearned(request: ConnectionRequest): Promise<NegotiatedConnection | undefined> {
  const { revisions, olderEra } = request;
  if (!isOlderOnly(olderEra) || revisions.modern.length === 0 || revisions.legacy.length === 0) return undefined;
  try {
    return await openNegotiated(onOlderSide(request));
  } catch (error) {
    if (error instanceof LongshoreError && mayBlameVerdict(error)) return undefined;
    throw error;
  }
}
