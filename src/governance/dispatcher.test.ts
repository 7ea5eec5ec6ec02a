import { describe, expect, it } from 'vitest';
import { type RecordingConnection, recordingConnection } from '../../test/fixtures/recording-connection.ts';
import { createAuthority } from '../core/authorisation.ts';
import { agentId, type Epoch, randomId, serverKey } from '../core/ids.ts';
import { discoveredHandles } from './discovered-handles.ts';
import { createDispatch } from './dispatcher.ts';
import { createRegistry } from './registry.ts';

const alice = agentId('did:test:alice');
const files = serverKey('files');

function setUp() {
  const { mint, redeem } = createAuthority();
  const registry = createRegistry({ now: () => 0 });
  let live: RecordingConnection | undefined;
  function load(epoch: string, reason: 'load' | 'reload') {
    const tools = [{ name: 'read', inputSchema: { type: 'object' } }];
    live = recordingConnection({ agentId: alice, serverKey: files, epoch: epoch as Epoch, redeem, tools });
    const offer = { agentId: alice, serverKey: files, epoch: live.epoch, protocolVersion: live.protocolVersion };
    registry.replaceOwner(
      alice,
      files,
      discoveredHandles({ ...offer, tools, resources: [], prompts: [] }).handles,
      reason,
    );
    return live;
  }
  const fleet = {
    connection: () => live,
    wake: () => (live ? Promise.resolve(live) : Promise.reject(new Error('nothing to wake'))),
  };
  return { registry, load, dispatch: createDispatch({ registry, fleet, mint, randomId }) };
}

const { signal } = new AbortController();

describe('dispatch', () => {
  it('R40: sends a call by name, and refuses a handle from before a reload without sending anything', async () => {
    const { registry, load, dispatch } = setUp();
    const first = load('e1', 'load');
    const call = { agentId: alice, caller: 'library', handle: 'files__read', arguments: { path: 'x' } } as const;
    const { result } = await dispatch(call, signal);
    expect(result.content).toEqual([{ type: 'text', text: '{"path":"x"}' }]);
    const old = registry.lookup(alice, 'files__read');
    const second = load('e2', 'reload');
    if (old === undefined) throw new Error('the handle was mounted');
    await expect(dispatch({ ...call, handle: old }, signal)).rejects.toMatchObject({ code: 'stale-handle' });
    expect([first.sent.length, second.sent.length]).toEqual([1, 0]);
  });

  it('refuses a name that is not mounted', async () => {
    const { dispatch } = setUp();
    const call = { agentId: alice, caller: 'library', handle: 'files__read', arguments: {} } as const;
    await expect(dispatch(call, signal)).rejects.toMatchObject({ code: 'unknown-tool' });
  });
});
