import { command } from './command.ts';
import { type Envelope, succeeded } from './envelope.ts';
import type { OperatorContext } from './operator-context.ts';

/** `!mcp-gateway-stop` (R30): that it does not run is fine. */
export const mcpGatewayStop = command<OperatorContext, never, never>({
  name: '!mcp-gateway-stop',
  tool: 'mcp_gateway_stop',
  summary: 'Stop the Docker MCP Gateway and forget its servers',
  parameters: [],
  flags: [],
  run: context => stopGateway(context),
});

/** The same for every edge; rejects with `close-failed` while anything of it is left. */
export async function stopGateway(context: OperatorContext): Promise<Envelope> {
  await context.record('mcp_gateway_stop', 'gateway');
  const was = await context.gateway.stop();
  return succeeded(was ? 'The gateway is stopped, and its servers are forgotten.' : 'The gateway was not running.', {
    was_there: was,
  });
}
