import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { collect } from '../collect.ts';
import type { CommandContext } from '../program.ts';

/** `serve`: Cortex in the foreground. */
export function serveCommand(command: Command, context: CommandContext): void {
  command
    .option('--port <port>', 'listen on this port (default: LONGSHORE_PORT or 7411; 0 takes a free one)', port)
    .option('--host <address>', 'listen on this address (default: LONGSHORE_HOST or 127.0.0.1)')
    .option('--allow-host <name>', 'a name by which it may be reached besides loopback (may be repeated)', collect, [])
    .option('--tls-cert <file>', 'certificate chain in PEM form')
    .option('--tls-key <file>', 'its private key in PEM form')
    .option('--insecure-http', 'listen beyond loopback without TLS, because something else encrypts')
    .option('--open', 'open the sign-in link in the browser')
    .option('--json', 'print JSON')
    .addOption(new Option('--background', 'started by a client').hideHelp())
    .action(async options => {
      const { serve } = await import('../serve.ts');
      context.exit(await serve(options, context.terminal));
    });
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 0 to 65535.');
}
