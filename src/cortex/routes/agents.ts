import type { HostService } from '../../host/host-service.ts';
import type { AddRoute } from '../route-maker.ts';

/** The agents of the home. */
export function agentRoutes(on: AddRoute, { agents }: HostService): void {
  on('GET /api/agents', async () => await agents.list());
  on('POST /api/agents', async ({ body, door }) => await agents.add(`operator:${door}`, body.name));
}
