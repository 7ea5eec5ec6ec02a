import type { ConnectableClient } from '../../config/clients/connectable.ts';
import { asLongshoreError } from '../../core/errors.ts';
import { printResult } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import type { PlannedEdit } from './connect-client.ts';

/** Works out the edits of some clients; of many, one that cannot be done is told and costs the others nothing. */
export function planAll(
  clients: readonly ConnectableClient[],
  plan: (client: ConnectableClient) => PlannedEdit,
  isMany: boolean,
): readonly PlannedEdit[] {
  return clients.map(client => {
    try {
      return plan(client);
    } catch (error) {
      if (!isMany) throw error;
      const reason = asLongshoreError(error).message;
      return { client: client.name, path: '', action: 'skip', diff: '', restart: client.restart, reason, apply() {} };
    }
  });
}

/** Writes those that change something. */
export function applyEdits(edits: readonly PlannedEdit[]): void {
  for (const { action, apply } of edits) if (action === 'connect' || action === 'disconnect') apply();
}

const done = { connect: 'connected', disconnect: 'disconnected', same: 'unchanged', skip: 'left alone' } as const;
const planned = { ...done, connect: 'would be connected', disconnect: 'would be disconnected' } as const;

/** One line for each client, in a dry run with the change below it, else with what a person has to do now. */
export async function tellEdits(
  terminal: Terminal,
  edits: readonly PlannedEdit[],
  { dryRun, json }: { readonly dryRun: boolean; readonly json: true | undefined },
): Promise<void> {
  const shown = edits.map(({ apply: _apply, ...edit }) => edit);
  await printResult(terminal, json, { clients: shown }, () =>
    shown
      .flatMap(({ client, path, action, diff, reason }) => [
        `${client}: ${(dryRun ? planned : done)[action]}${path === '' ? '' : ` (${path})`}${reason === undefined ? '' : `: ${reason}`}`,
        ...(dryRun && diff !== '' ? [diff] : []),
      ])
      .join('\n'),
  );
  if (json || dryRun) return;
  for (const { client, action, restart } of shown) {
    if (action === 'connect' || action === 'disconnect') await terminal.err(`${client}: ${restart}\n`);
  }
}
