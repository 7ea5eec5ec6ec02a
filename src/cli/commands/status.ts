import type { Command } from '@commander-js/extra-typings';
import { ask } from '../../client/ask.ts';
import { homeOf } from '../../client/client.ts';
import { type Found, findService } from '../../client/find-service.ts';
import { signInAddress } from '../../client/sign-in-address.ts';
import { errorTable } from '../../core/errors.ts';
import type { CommandContext } from '../program.ts';
import { timeText } from '../time-text.ts';

const notReady = errorTable.unreachable.exit;

/** `status`: whether the service runs, and where. Exit 0 ready, 4 not running or not ready yet. Starts nothing. */
export function statusCommand(command: Command, context: CommandContext): void {
  command.option('--json', 'print JSON').action(async options => {
    const { terminal } = context;
    const found = findService(homeOf({ env: terminal.env }));
    if (found.as !== 'service') return await tellNone(found, context, options.json);
    const [service, { token }] = await Promise.all([
      ask(found.target, 'GET /api/service'),
      ask(found.target, 'POST /api/sign-in/links'),
    ]);
    const signIn = signInAddress(service.url, token);
    const state = service.ready ? 'ready' : 'not-ready';
    if (!service.ready) context.exit(notReady);
    if (options.json) return await terminal.out(`${JSON.stringify({ state, ...service, signIn }, null, 2)}\n`);
    const since = timeText(Date.now() - service.startedAt);
    const what = service.ready ? 'is ready' : 'is not ready yet';
    await terminal.show(
      `Longshore ${service.version} ${what} at ${service.url} (process ${service.pid}, for ${since}).\nSign in with this link, once, within 5 minutes: ${signIn}\n`,
    );
  });
}

async function tellNone(
  found: Exclude<Found, { as: 'service' }>,
  { terminal, exit }: CommandContext,
  json: true | undefined,
): Promise<void> {
  exit(notReady);
  if (json) return await terminal.out(`${JSON.stringify({ state: 'stopped' })}\n`);
  await terminal.out(
    found.as === 'other'
      ? `Longshore does not listen: process ${found.pid} has this home, and is starting or uses the library.\n`
      : 'Longshore does not run. Start it with: longshore serve\n',
  );
}
