import { command } from './command.ts';
import { failed } from './envelope.ts';
import type { OperatorContext } from './operator-context.ts';

/** What every way to the gateway says until there is one. */
export const gatewayNotAvailable =
  'The Docker MCP Gateway is not available yet. Load single images with !mcp-load instead.';

/** `!mcp-gateway-stop` (R30). */
export const mcpGatewayStop = command<OperatorContext, never, never>({
  name: '!mcp-gateway-stop',
  tool: 'mcp_gateway_stop',
  summary: 'Stop the Docker MCP Gateway and forget its servers',
  parameters: [],
  flags: [],
  async run(context) {
    await context.record('mcp_gateway_stop', 'gateway');
    return failed('not-available', gatewayNotAvailable);
  },
});
