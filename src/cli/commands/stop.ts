import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import { ask } from '../../client/ask.ts';
import { homeOf } from '../../client/client.ts';
import { findService } from '../../client/find-service.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { CommandContext } from '../program.ts';

/** `stop`: stops the service and every server, and comes back when nothing of it is left. */
export function stopCommand(command: Command, context: CommandContext): void {
  command.option('--json', 'print JSON').action(async options => {
    const { terminal } = context;
    const home = homeOf({ env: terminal.env });
    const found = findService(home);
    if (found.as === 'other') {
      throw new LongshoreError(
        'home-in-use',
        `Process ${found.pid} has the home ${home} and is no service that could be asked. Stop that program itself.`,
      );
    }
    if (found.as === 'service') {
      await ask(found.target, 'POST /api/service/stop');
      // Its servers have their graceful and their forced budget; the note is gone when the home is free.
      for (let now = findService(home); now.as !== 'nobody' && now.pid === found.pid; now = findService(home)) {
        await sleep(50);
      }
    }
    const stopped = found.as === 'service';
    if (options.json) await terminal.out(`${JSON.stringify({ stopped })}\n`);
    else await terminal.err(stopped ? 'Stopped.\n' : 'The service does not run.\n');
  });
}
