import type { Command, OptionValues } from '@commander-js/extra-typings';
import { type Client, connectService } from '../client/client.ts';
import type { CommandContext } from './program.ts';

/** The options of every command that asks the service. */
export interface ServiceOptions {
  readonly agent?: string | undefined;
  readonly start: boolean;
}

/** Adds `--agent` and `--no-start`. */
export function askingService<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .option('--agent <agent>', "name or DID of the agent; the home's own if not said")
    .option('--no-start', 'fail if the service does not run, instead of starting it');
}

/** A client of the service, which is started if none runs; with another token than the home's if one is given. */
export async function service(
  { terminal }: CommandContext,
  { agent, start }: ServiceOptions,
  token?: string,
): Promise<Client> {
  return await connectService({
    env: terminal.env,
    start,
    ...(token !== undefined && { token }),
    ...(agent !== undefined && { agent }),
    onStart() {
      if (terminal.interactive) void terminal.err('Starting the service …\n');
    },
  });
}
