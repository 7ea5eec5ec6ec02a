import { describe, expect, it } from 'vitest';
import { alice, bob, savedWorld, tool } from '../../test/fixtures/saved-world.ts';
import { LongshoreError } from '../core/errors.ts';
import { serverInfo, serverInfos } from './server-infos.ts';

describe('what is told of servers', () => {
  it('two servers with plain names and equal tools: the second says why it has none, wherever it is told of', async () => {
    await using world = await savedWorld();
    world.offers.set('two', [tool('echo')]);
    await world.load({ name: 'one', command: 'x', names: 'plain' });
    const { server } = await world.load({ name: 'two', command: 'x', names: 'plain' }, { save: true });
    const clash = [{ code: 'handle-name-clash', message: expect.stringContaining('echo is not mounted') }];
    expect(server.diagnostics()).toMatchObject(clash);
    const info = await serverInfo(world.book, alice, server.serverKey);
    expect(info).toMatchObject({ diagnostics: clash, health: { state: 'degraded' }, tools: [] });
    expect(info.health.sentence).toContain('echo is not mounted');
    await world.unload('one');
    await world.fleet.reload(alice, server.serverKey, { signal: new AbortController().signal, onPhase() {} });
    expect(await serverInfo(world.book, alice, server.serverKey)).toMatchObject({
      diagnostics: [],
      tools: [{ handleName: 'echo', mounted: true }],
    });
  });

  it("R33, R58: loaded, failed and only saved ones, in that order, and nobody else's", async () => {
    await using world = await savedWorld();
    world.faults.broken.set('broken', new LongshoreError('failed-to-start', 'exited with code 1'));
    await world.saved().add({ name: 'off', command: 'x' });
    await world.saved().disable('off');
    await world.load({ name: 'broken', command: 'x' }).catch(() => undefined);
    await world.load('org/img', { save: true });
    await world.load({ name: 'other', command: 'x' }, { agentId: bob });
    expect(await serverInfos(world.book, alice)).toMatchObject([
      {
        server: 'broken',
        saved: false,
        state: 'failed',
        serverId: null,
        error: { code: 'failed-to-start' },
        holdings: [],
      },
      { server: 'org-img', name: 'org/img:latest', state: 'connected', holdings: [expect.any(String)] },
      { server: 'off', saved: true, state: 'disabled', enabled: false, tools: [] },
    ]);
  });
});
