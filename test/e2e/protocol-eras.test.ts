import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClient } from '../fixtures/mcp-clients.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';

let home: McpHome;
let token: string;

beforeAll(async () => {
  home = await mcpHome();
  for (const name of ['both', 'newer', 'older']) {
    const eras = { both: 'modern,legacy', newer: 'modern', older: 'legacy' }[name];
    await home.save(name, stdioFixture('both-eras', `eras=${eras}`));
  }
  await home.save('pinned', { ...stdioFixture('both-eras'), protocol: '2025-06-18' });
  await home.allow('*');
  ({ token } = await home.caller('eras'));
});
afterAll(() => home?.[Symbol.asyncDispose]());

interface Listed {
  readonly server: string;
  readonly protocol_version: string;
  readonly protocol_reason: string | null;
}

async function listed(server: string): Promise<Listed | undefined> {
  const servers = (await home.rest('GET', '/api/mcp-servers')) as readonly Listed[];
  return servers.find(one => one.server === server);
}

describe('P1: the era of a server and of the client behind it', () => {
  const answer = { action: 'accept', content: { name: 'Ann' } };

  it.each([
    ['v1', 'both'],
    ['v1', 'older'],
    ['v2 legacy', 'both'],
    ['v2 modern', 'both'],
    ['v2 modern', 'older'],
  ] as const)('a %s client can be asked by a server of %s eras, as it is directly', async (kind, server) => {
    await using client = await openClient(kind, { url: `${home.origin}/mcp`, token }, { elicit: () => answer });
    const result = await client.call(`${server}__elicitation`);
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(answer) }]);
  });

  it('is told by list and explain, with the reason, and kept over a restart of the service', async () => {
    const because = { protocol_version: '2025-11-25', protocol_reason: expect.stringContaining('2026-07-28') };
    expect(await listed('both')).toMatchObject(because);
    expect(await listed('newer')).toMatchObject({ protocol_version: '2026-07-28', protocol_reason: null });
    const { notes } = await home.rest('POST', '/api/mcp/explain', { ref: 'both' });
    expect(JSON.stringify(notes)).toContain('2026-07-28');
    await home.rest('POST', '/api/mcp/unload', { ref: 'pinned' });
  });

  it('a setting decides, and is told as the reason', async () => {
    await home.rest('POST', '/api/mcp/load', { ref: 'pinned' });
    expect(await listed('pinned')).toMatchObject({
      protocol_version: '2025-06-18',
      protocol_reason: 'Its protocol setting says 2025-06-18.',
    });
  });
});
