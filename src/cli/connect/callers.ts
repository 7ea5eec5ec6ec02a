import type { Client } from '../../client/client.ts';

/**
 * Gives each client a caller of its own, unless it has one: for the servers that its file had when it was
 * imported, else for all. Its token is not kept anywhere, because the bridge needs none.
 */
export async function ensureCallers(client: Client, names: readonly string[]): Promise<void> {
  const { clients } = await client.ask('GET /api/imports');
  const tokens = await client.ask('GET /api/tokens');
  const known = new Set(tokens.filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name));
  for (const name of names.filter(one => !known.has(one))) {
    const servers = clients[name] ?? [];
    await client.ask('POST /api/tokens', { body: { name, ...(servers.length > 0 && { scope: { servers } }) } });
  }
}
