import type { Command, OptionValues } from '@commander-js/extra-typings';
import { LongshoreError } from '../../core/errors.ts';

function later(what: string): never {
  throw new LongshoreError(
    'not-available',
    `${what} not available yet. Load images by their names: longshore load mcp/time`,
  );
}

function withJson<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command.option('--json', 'print JSON');
}

/** `gateway`: exists, and says so, until the gateway can be started. */
export function gatewayCommand(command: Command): void {
  for (const verb of ['start', 'stop', 'status'] as const) {
    const below = command.command(verb).description('not available yet').argument('[servers]');
    withJson(below).action(() => later('The Docker MCP Gateway is'));
  }
}
