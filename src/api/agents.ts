import { z } from '@hono/zod-openapi';
import { instant, type Json, type JsonInput } from './json.ts';
import type { RouteTable } from './route.ts';

const agentSchema = z
  .object({
    agentId: z.string(),
    /** Null for an agent that an embedding program named by its DID only. */
    name: z.string().nullable(),
    isDefault: z.boolean(),
    /** How many it has saved. */
    servers: z.int(),
    /** Null for those that were not added here. */
    createdAt: instant.nullable(),
  })
  .openapi('Agent');
export type AgentView = Json<typeof agentSchema>;

/** `name`: 1 to 64 of A-Z a-z 0-9 _ . -; taken ones are 409 `name-in-use`. Longshore makes it a DID of its own. */
const newAgent = z.object({ name: z.string().min(1).max(64) }).openapi('NewAgent');
export type AddAgentRequest = JsonInput<typeof newAgent>;

/** The agents of the home. */
export const agentRoutes = {
  'GET /api/agents': { summary: 'The agents of the home', answer: z.array(agentSchema) },
  'POST /api/agents': {
    summary: 'Add an agent with a DID of its own',
    body: newAgent,
    answer: agentSchema,
    status: 201,
  },
} as const satisfies RouteTable;
