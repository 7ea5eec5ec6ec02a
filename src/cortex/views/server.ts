import type { ServerView } from '../../api/servers.ts';
import type { ServerInfo } from '../../servers/server-info.ts';

/** A server as the API tells it. */
export function serverView(report: ServerInfo): ServerView {
  const { serverId, server, name, kind, config, image, enabled, health, error, transport, holdings } = report;
  return {
    serverId,
    server,
    name,
    kind,
    config,
    image,
    enabled,
    ...health,
    lastError: error ? { code: error.code, message: error.message } : null,
    transport,
    protocol_version: report.protocol_version,
    protocol_reason: report.protocolReason,
    holdings,
    tools: report.tools.map(({ handleName, toolName, tokenCost, description }) => ({
      handleName,
      toolName,
      tokenCost,
      ...(description !== undefined && { description }),
    })),
    tokenCost: report.tools.reduce((sum, tool) => sum + tool.tokenCost, 0),
    diagnostics: report.diagnostics,
  };
}
