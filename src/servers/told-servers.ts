import type { AgentId } from '../core/ids.ts';
import type { Servers } from '../store/servers.ts';

/** The table of saved servers, telling whose were changed once they are. */
export function toldServers(servers: Servers, onChanged: (agentId: AgentId) => void): Servers {
  return {
    ...servers,
    async save(entries) {
      const saved = await servers.save(entries);
      for (const agentId of new Set(entries.map(entry => entry.agentId))) onChanged(agentId);
      return saved;
    },
    async update(serverId, change) {
      const server = await servers.update(serverId, change);
      onChanged(server.agentId);
      return server;
    },
    async remove(serverId) {
      const server = await servers.get(serverId);
      const removed = await servers.remove(serverId);
      if (removed && server) onChanged(server.agentId);
      return removed;
    },
  };
}
