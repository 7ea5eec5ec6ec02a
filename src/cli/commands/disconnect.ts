import { homedir } from 'node:os';
import type { Command } from '@commander-js/extra-typings';
import { connectableClients } from '../../config/clients/connectable.ts';
import { readSettings } from '../../config/settings.ts';
import { LongshoreError } from '../../core/errors.ts';
import { namedClient } from '../connect/client-file.ts';
import { Connections } from '../connect/connections.ts';
import { applyEdits, planAll, tellEdits } from '../connect/run-edits.ts';
import type { CommandContext } from '../program.ts';

/** `disconnect`: takes our entry out of a client's file again; its caller stays until `token revoke`. */
export function disconnectCommand(command: Command, context: CommandContext): void {
  command
    .argument('[client]')
    .option('--all', 'every client that is connected')
    .option('--dry-run', 'show what would be changed, and change nothing')
    .option('--json', 'print JSON')
    .action(async (name, options) => {
      const { terminal } = context;
      // The readers of all syntaxes are loaded by whoever uses them.
      const { planDisconnect } = await import('../connect/connect-client.ts');
      if ((name === undefined) === (options.all !== true)) {
        throw new LongshoreError('usage', 'Say which client, or --all; see: longshore connect --status');
      }
      const machine = { env: terminal.env, platform: process.platform, homeDir: terminal.env['HOME'] ?? homedir() };
      const connections = new Connections(readSettings(machine).settings.home);
      const wanted = name === undefined ? connectableClients : [namedClient(name)];
      const all = planAll(wanted, client => planDisconnect(client, machine, connections), name === undefined);
      const edits = name === undefined ? all.filter(({ action }) => action === 'disconnect') : all;
      if (!options.dryRun) applyEdits(edits);
      await tellEdits(terminal, edits, { dryRun: options.dryRun === true, json: options.json });
    });
}
