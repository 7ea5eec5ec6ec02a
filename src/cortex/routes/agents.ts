import { z } from '@hono/zod-openapi';
import type { AgentView } from '../../client/api-types.ts';
import type { HostService } from '../../host/host-service.ts';
import type { AddRoute } from '../route-maker.ts';
import { instant } from '../views/common.ts';

const agent = z
  .object({
    agentId: z.string(),
    name: z.string().nullable(),
    isDefault: z.boolean(),
    servers: z.int(),
    createdAt: instant.nullable(),
  })
  .openapi('Agent') satisfies z.ZodType<AgentView>;

/** The agents of the home. */
export function agentRoutes(on: AddRoute, { agents }: HostService): void {
  on('GET /api/agents', { summary: 'The agents of the home', answer: z.array(agent) }, async () => await agents.list());
  on(
    'POST /api/agents',
    {
      summary: 'Add an agent with a DID of its own',
      body: z.object({ name: z.string().min(1).max(64) }).openapi('NewAgent'),
      answer: agent,
      status: 201,
    },
    async ({ body, door }) => await agents.add(`operator:${door}`, body.name),
  );
}
