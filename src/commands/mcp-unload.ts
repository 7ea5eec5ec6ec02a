import type { JsonObject } from '../core/json.ts';
import { command } from './command.ts';
import { type Envelope, partly, succeeded } from './envelope.ts';
import type { OperatorContext, UnloadReport } from './operator-context.ts';

/** `!mcp-unload <container>`: takes whatever `!mcp-load` took, a container's full id, or the id of a legacy entry (R32, R59). */
export const mcpUnload = command<OperatorContext, 'container', never>({
  name: '!mcp-unload',
  tool: 'mcp_unload',
  summary: 'Unload a server and remove what is saved of its container',
  parameters: ['container'],
  flags: [],
  run: (context, { arguments: { container } }) => unload(context, container),
});

/** The same for every edge; rejects with `unknown-server`, or with `close-failed` while anything of it is left. */
export async function unload(context: OperatorContext, ref: string): Promise<Envelope> {
  await context.record('mcp_unload', ref);
  return unloaded(await context.unload(ref));
}

function unloaded(report: UnloadReport): Envelope {
  const { error, secrets_left: secrets } = report;
  const data = unloadedData(report);
  const confirmation = sentence(report);
  if (error)
    return partly(confirmation, error.code, `What is saved of it could not be changed. ${error.message}`, data);
  if (secrets.length === 0) return succeeded(confirmation, data);
  const left = `Its secrets ${secrets.join(', ')} could not be removed; remove them with: longshore secret rm NAME`;
  return partly(confirmation, 'secret-unreadable', left, data);
}

function sentence({ server, process_removed: process, saved_removed: saved }: UnloadReport): string {
  const stopped = process === true ? 'is stopped' : 'was not running';
  const forgotten = {
    true: ' and is not saved any more.',
    false: '; it stays saved, and only loading it by its name starts it again.',
    not_saved: '.',
    failed: '.',
  }[`${saved}`];
  return `${server} ${stopped}${forgotten}`;
}

function unloadedData({ server, saved_removed, process_removed, handles_withdrawn }: UnloadReport): JsonObject {
  return { server, saved_removed, process_removed, handles_withdrawn };
}
