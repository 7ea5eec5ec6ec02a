import { selectorList } from '../config/selector.ts';
import type { GatewayReport } from '../servers/gateway.ts';
import { command } from './command.ts';
import { type Envelope, failed, partly, succeeded } from './envelope.ts';
import type { OperatorContext } from './operator-context.ts';

/** `!mcp-gateway-start <servers>`: comma-separated catalog names in one word (R29, R70). */
export const mcpGatewayStart = command<OperatorContext, 'servers', never>({
  name: '!mcp-gateway-start',
  tool: 'mcp_gateway_start',
  summary: 'Start the Docker MCP Gateway with these servers',
  parameters: ['servers'],
  flags: [],
  run: (context, { arguments: { servers } }, signal) => startGateway(context, selectorList(servers), signal),
});

/** The same for every edge; rejects with why nothing was started. */
export async function startGateway(
  context: OperatorContext,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Envelope> {
  await context.record('mcp_gateway_start', names.join(','));
  return started(await context.gateway.start(names, signal));
}

/** Partial where a server is not in effect, or no tool was seen (R29); never that a server is ready (R76). */
function started(report: GatewayReport): Envelope {
  const { requested, observedTools, missing } = report;
  const said = `The gateway was started. Requested: ${requested.join(', ')}. Observed tools: ${observedTools.length}.`;
  const data = gatewayData(report);
  if (missing.length > 0) {
    const why = missing.map(one => `${one.name}: ${one.why}`).join('; ');
    const isAll = missing.length === requested.length;
    return isAll
      ? failed('failed-to-start', `The gateway could start none of them. ${why}`, data)
      : partly(said, 'failed-to-start', `Not in effect: ${why}`, data);
  }
  if (observedTools.length === 0) return partly(said, 'discovery-failed', 'No tool of its servers was seen.', data);
  return succeeded(said, data);
}

/** What was requested apart from what was observed (R76). */
export function gatewayData({ requested, observedTools, missing }: GatewayReport): {
  readonly requested_servers: string[];
  readonly observed_tools: string[];
  readonly not_in_effect: { readonly name: string; readonly why: string }[];
} {
  return {
    requested_servers: [...requested],
    observed_tools: [...observedTools],
    not_in_effect: missing.map(one => ({ ...one })),
  };
}
