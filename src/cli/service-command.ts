import type { Command, OptionValues } from '@commander-js/extra-typings';
import { type Client, connectService } from '../client/client.ts';
import type { CommandContext } from './program.ts';
import type { Terminal } from './terminal.ts';

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

/** Prints a result: as JSON, or as the text that `render` makes of it. Nothing is printed for an empty text. */
export async function printResult(
  terminal: Terminal,
  json: true | undefined,
  result: unknown,
  render: () => string,
): Promise<void> {
  if (json) return await terminal.out(`${JSON.stringify(result, null, 2)}\n`);
  const text = render();
  if (text !== '') await terminal.show(`${text}\n`);
}

/** Says on stderr what is odd. */
export async function tellNotes(terminal: Terminal, notes: readonly { readonly message: string }[]): Promise<void> {
  for (const { message } of notes) await terminal.err(`note: ${message}\n`);
}
