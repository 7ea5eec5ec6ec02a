import type { EventData } from '../client/api-types.ts';
import type { JsonObject } from '../core/json.ts';
import type { HostEvent } from '../host/host-events.ts';
import type { HostService } from '../host/host-service.ts';
import type { CortexEvent } from './event-feed.ts';
import { approvalView } from './views/approval.ts';

/** What changes in a home, as the events of `GET /api/events`: for `CortexDeps.onEvent`. */
export function cortexEvents(
  service: Pick<HostService, 'onEvent'>,
): (listener: (event: CortexEvent) => void) => () => void {
  return listener => service.onEvent(event => listener(cortexEvent(event)));
}

function cortexEvent(event: HostEvent): CortexEvent {
  switch (event.type) {
    case 'approval':
      return typed(`approval.${event.event.what}`, approvalView(event.event.approval));
    case 'server-state': {
      const { agentId, server, health } = event;
      return typed('server.state', { agentId, server, state: health.state, sentence: health.sentence });
    }
    case 'tools':
      return typed('tools.changed', { agentId: event.agentId, server: event.server });
    case 'servers':
      return typed('servers.changed', { agentId: event.agentId });
    case 'rules':
      return typed('rules.changed', { agentId: null });
    case 'catalog':
      return typed('catalog.progress', { agentId: null, catalog: event.catalog, line: event.line });
    case 'callers':
      return typed('callers.changed', { agentId: event.agentId, caller: event.caller });
  }
}

function typed<Type extends keyof EventData>(type: Type, data: EventData[Type]): CortexEvent {
  return { type, data: { ...data } as unknown as JsonObject };
}
