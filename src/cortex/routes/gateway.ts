import type { GatewayStartAnswer, GatewayStopAnswer } from '../../api/lifecycle.ts';
import { startGateway } from '../../commands/mcp-gateway-start.ts';
import { stopGateway } from '../../commands/mcp-gateway-stop.ts';
import { selector } from '../../config/selector.ts';
import type { AddRoute } from '../route-maker.ts';
import { answerOf } from '../views/envelope.ts';

/** The Docker MCP Gateway. */
export function gatewayRoutes(on: AddRoute): void {
  on('POST /api/mcp/gateway/start', async ({ operator, body, signal }) =>
    answerOf<GatewayStartAnswer>(await startGateway(await operator(), body.servers.map(selector), signal)),
  );
  on('POST /api/mcp/gateway/stop', async ({ operator }) =>
    answerOf<GatewayStopAnswer>(await stopGateway(await operator())),
  );
}
