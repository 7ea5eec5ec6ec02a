import type { Client } from '../../client/client.ts';

/** Gives each client a caller of its own, unless it has one; its token is not kept anywhere, because the bridge needs none. */
export async function ensureCallers(client: Client, names: readonly string[]): Promise<void> {
  const tokens = await client.ask('GET /api/tokens');
  const known = new Set(tokens.filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name));
  for (const name of names) if (!known.has(name)) await client.ask('POST /api/tokens', { body: { name } });
}
