import { selectorList } from '../config/selector.ts';
import { command } from './command.ts';
import { failed } from './envelope.ts';
import { gatewayNotAvailable } from './mcp-gateway-stop.ts';
import type { OperatorContext } from './operator-context.ts';

/** `!mcp-gateway-start <servers>`: comma-separated catalog names in one word (R29, R70). */
export const mcpGatewayStart = command<OperatorContext, 'servers', never>({
  name: '!mcp-gateway-start',
  tool: 'mcp_gateway_start',
  summary: 'Start the Docker MCP Gateway with these servers',
  parameters: ['servers'],
  flags: [],
  async run(context, { arguments: { servers } }) {
    const names = selectorList(servers);
    await context.record('mcp_gateway_start', names.join(','));
    return failed('not-available', gatewayNotAvailable);
  },
});
