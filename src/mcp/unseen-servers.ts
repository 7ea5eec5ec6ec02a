import type { ClientServer } from '../host/client-access.ts';
import type { EndpointContext } from './endpoint-context.ts';
import type { McpClient } from './mcp-client.ts';

/** The servers of which a client that may see them sees nothing, because nothing is known of them. */
export function unseenServers({ host }: EndpointContext, client: McpClient): readonly ClientServer[] {
  const { servers } = client.scope();
  return host.servers(client.agentId).filter(({ server, missing }) => {
    const isMeant = (client.server ?? server) === server && (servers === null || servers.includes(server));
    return isMeant && missing !== undefined;
  });
}

/** Has them started. A list waits for a server in the first moments of its very first start, and never again. */
export async function lookAtUnseen(ground: EndpointContext, client: McpClient): Promise<void> {
  const unseen = unseenServers(ground, client);
  await Promise.all(unseen.map(({ server }) => ground.host.startUnseen(client.agentId, server)));
}
