import { emptyScope } from '../core/caller-scope.ts';
import type { HostService } from '../host/host-service.ts';
import type { McpEndpoint } from './endpoint.ts';

/** Tells the endpoint what changes in the host; returns the way to stop. */
export function followHost(
  { onEvent, notices, callers, clients }: Pick<HostService, 'onEvent' | 'notices' | 'callers' | 'clients'>,
  endpoint: McpEndpoint,
): () => void {
  const stopEvents = onEvent(event => {
    if (event.type === 'tools') endpoint.changed(event.agentId);
    else if (event.type === 'rules') endpoint.changed();
    else if (event.type === 'callers') {
      endpoint.changed(event.agentId);
      void endRevoked();
    }
  });
  const stopNotices = notices.on(notice => {
    if (!notice.toCall) endpoint.notice(notice);
  });

  /** Never rejects: what cannot be read now is refused at its next request anyway. */
  async function endRevoked(): Promise<void> {
    const all = await callers.list().catch(() => []);
    const gone = all.filter(({ id, revokedAt }) => revokedAt !== null && clients.scopeOf(id) === emptyScope);
    await Promise.allSettled(gone.map(({ id }) => endpoint.revoked(id)));
  }

  return () => {
    stopEvents();
    stopNotices();
  };
}
