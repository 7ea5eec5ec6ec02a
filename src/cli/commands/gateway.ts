import type { Command } from '@commander-js/extra-typings';
import type { StatusAnswer } from '../../client/api-types.ts';
import { tellPartial } from '../load-answer.ts';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';
import { withProgress } from '../with-progress.ts';

/** `gateway start|stop|status`: the Docker MCP Gateway (R29, R30, R76). */
export function gatewayCommand(command: Command, context: CommandContext): void {
  const { terminal } = context;
  const start = command
    .command('start')
    .description('start it with exactly these servers of the catalogs')
    .argument('<servers...>', 'names, with spaces or commas between')
    .option('--json', 'print JSON');
  askingService(start).action(async (words, options) => {
    const client = await service(context, options);
    const servers = words.flatMap(word => word.split(','));
    const work = client.ask('POST /api/mcp/gateway/start', { body: { servers } });
    const answer = await withProgress(client, terminal, work);
    await printResult(terminal, options.json, answer, () => answer.confirmation);
    await tellPartial(context, answer, options.json);
  });
  const stop = command.command('stop').description('stop it and forget its servers').option('--json', 'print JSON');
  askingService(stop).action(async options => {
    const client = await service(context, options);
    const answer = await client.ask('POST /api/mcp/gateway/stop');
    await printResult(terminal, options.json, answer, () => answer.confirmation);
  });
  const status = command
    .command('status')
    .description('show what was requested of it, and what was observed')
    .option('--json', 'print JSON');
  askingService(status).action(async options => {
    const client = await service(context, options);
    const { gateway } = await client.ask('GET /api/mcp/status');
    await printResult(terminal, options.json, gateway, () => statusText(gateway));
  });
}

function statusText(gateway: StatusAnswer['gateway']): string {
  if (gateway === null) return 'The gateway was not started. Start it: longshore gateway start NAME';
  const { requested_servers: requested, observed_tools: observed, not_in_effect: missing } = gateway;
  const lines = [`requested: ${requested.join(', ')}`, `observed tools: ${observed.join(', ') || 'none'}`];
  return [...lines, ...missing.map(({ name, why }) => `not in effect: ${name}: ${why}`)].join('\n');
}
