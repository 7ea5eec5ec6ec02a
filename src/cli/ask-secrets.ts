import type { ImportedFileView } from '../client/api-types.ts';
import type { Client } from '../client/client.ts';
import type { Terminal } from './terminal.ts';

/** Asks a person for the secrets that imported servers need and that are not stored yet; without one they are only told. */
export async function askForSecrets(
  terminal: Terminal,
  client: Client,
  files: readonly ImportedFileView[],
): Promise<void> {
  const saved = files.flatMap(({ servers }) => servers.filter(({ action }) => action !== 'skip'));
  const needs = new Map(saved.flatMap(server => server.needs.map(need => [need.name, need.prompt] as const)));
  if (needs.size === 0) return;
  const { secrets } = await client.ask('GET /api/secrets');
  for (const { name } of secrets) needs.delete(name);
  for (const [name, prompt] of needs) {
    const value = terminal.canAsk ? await terminal.ask(`${prompt} (not shown; empty for later): `, true) : undefined;
    if (value === undefined || value === '') await terminal.err(`To be set: longshore secret set ${name}\n`);
    else await client.ask('PUT /api/secrets/:name', { params: { name }, body: { value } });
  }
}
