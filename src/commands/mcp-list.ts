import type { JsonObject } from '../core/json.ts';
import type { GatewayReport } from '../servers/gateway.ts';
import type { ServerInfo } from '../servers/server-info.ts';
import { command } from './command.ts';
import { type Envelope, succeeded } from './envelope.ts';
import { gatewayData } from './mcp-gateway-start.ts';
import type { EngineReport, OperatorContext } from './operator-context.ts';

/** `!mcp-list`: every server that runs, starts, closes, failed or is only saved, without Docker too (R33). */
export const mcpList = command<OperatorContext, never, never>({
  name: '!mcp-list',
  tool: 'mcp_list',
  summary: 'List the MCP servers and their tools',
  parameters: [],
  flags: [],
  async run(context) {
    await context.record('mcp_list', 'servers');
    const [servers, engine, gateway] = await Promise.all([
      context.servers(),
      context.engine(),
      context.gateway.report(),
    ]);
    return listed(servers, engine, gateway);
  },
});

function listed(servers: readonly ServerInfo[], engine: EngineReport, gateway: GatewayReport | undefined): Envelope {
  const lines = [
    servers.length === 0
      ? 'There are no servers.'
      : `${servers.length} ${servers.length === 1 ? 'server' : 'servers'}:`,
    ...(engine.state === 'unavailable' ? [engine.sentence] : []),
    ...servers.flatMap(serverLines),
  ];
  return succeeded(lines.join('\n'), {
    docker: { ...engine },
    gateway: gateway === undefined ? null : gatewayData(gateway),
    servers: servers.map(serverData),
  });
}

function serverLines({ resourceId, name, health, tools, protocol_version: version }: ServerInfo): readonly string[] {
  const title = name === resourceId ? name : `${name} (${resourceId})`;
  return [
    `${title}: ${health.state}. ${health.sentence}`,
    ...tools.map(({ handleName, mounted }) => {
      return `  ${handleName} (${version ?? 'no protocol version yet'}${mounted ? '' : ', not mounted'})`;
    }),
  ];
}

function serverData(report: ServerInfo): JsonObject {
  const { resourceId, server, name, image, kind, health, protocol_version, transport, tools, error, state } = report;
  return {
    id: resourceId,
    server,
    name,
    image,
    kind,
    state: health.state,
    sentence: health.sentence,
    saved: report.saved,
    legacy: state === 'legacy',
    transport,
    protocol_version,
    holdings: report.holdings,
    tools: tools.map(({ handleName, toolName, mounted }) => ({
      handle: handleName,
      tool: toolName,
      protocol_version,
      mounted,
    })),
    error: error ? { code: error.code, message: error.message } : null,
  };
}
