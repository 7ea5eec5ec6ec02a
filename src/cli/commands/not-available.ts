import type { Command } from '@commander-js/extra-typings';
import { LongshoreError } from '../../core/errors.ts';

function later(what: string): never {
  throw new LongshoreError(
    'not-available',
    `${what} not available yet. Load images by their names: longshore load mcp/time`,
  );
}

/** `search`: exists, and says so, until there are catalogs. */
export function searchCommand(command: Command): void {
  command.argument('<query>').action(() => later('The catalogs are'));
}

/** `catalog`: the same. */
export function catalogCommand(command: Command): void {
  command.option('--refresh').action(() => later('The catalogs are'));
}

/** `gateway`: the same for the Docker MCP Gateway. */
export function gatewayCommand(command: Command): void {
  for (const verb of ['start', 'stop', 'status'] as const) {
    command
      .command(verb)
      .argument('[servers]')
      .action(() => later('The Docker MCP Gateway is'));
  }
}
