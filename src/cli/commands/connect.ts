import { homedir } from 'node:os';
import type { Command } from '@commander-js/extra-typings';
import { connectableClients } from '../../config/clients/connectable.ts';
import { readSettings } from '../../config/settings.ts';
import { LongshoreError } from '../../core/errors.ts';
import { ensureCallers } from '../connect/callers.ts';
import { namedClient } from '../connect/client-file.ts';
import type { ClientStatus } from '../connect/connect-client.ts';
import { Connections } from '../connect/connections.ts';
import { applyEdits, planAll, tellEdits } from '../connect/run-edits.ts';
import { printTable } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';
import type { Column } from '../table.ts';

const clients = `
CLIENT is one of: ${connectableClients.map(({ name }) => name).join(', ')}.`;

const columns: readonly Column<ClientStatus>[] = [
  { header: 'CLIENT', text: ({ client }) => client },
  { header: 'STATE', text: ({ state, reason }) => (reason === undefined ? state : `${state}: ${reason}`) },
  { header: 'FILE', text: ({ path }) => path },
];

/** `connect`: writes our entry into a client's own file, by the smallest edit; `disconnect` takes it out again. */
export function connectCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('[client]')
    .option('--all', 'every client that is found on this machine')
    .option('--status', 'say which clients are connected, and change nothing')
    .option('--dry-run', 'show what would be changed, and change nothing')
    .option('--json', 'print JSON');
  askingService(own)
    .addHelpText('after', clients)
    .action(async (name, options) => {
      const { terminal } = context;
      // The readers of all syntaxes are loaded by whoever uses them.
      const { clientStatuses, planConnect } = await import('../connect/connect-client.ts');
      const machine = { env: terminal.env, platform: process.platform, homeDir: terminal.env['HOME'] ?? homedir() };
      if (options.status) return await printTable(terminal, options.json, clientStatuses(machine), columns);
      if ((name === undefined) === (options.all !== true)) {
        throw new LongshoreError('usage', 'Say which client, or --all; see: longshore connect --status');
      }
      const found = clientStatuses(machine).filter(({ state }) => state !== 'not found');
      const here = connectableClients.filter(client => found.some(status => status.client === client.name));
      const wanted = name === undefined ? here : [namedClient(name)];
      const { home } = readSettings(machine).settings;
      const connections = new Connections(home);
      const edits = planAll(wanted, client => planConnect(client, machine, connections), name === undefined);
      if (!options.dryRun && edits.some(({ action }) => action !== 'skip')) {
        const callers = edits.flatMap(({ client, action }) => (action === 'skip' ? [] : [client]));
        await ensureCallers(await service(context, options), callers);
        applyEdits(edits);
      }
      await tellEdits(terminal, edits, { dryRun: options.dryRun === true, json: options.json });
    });
}
