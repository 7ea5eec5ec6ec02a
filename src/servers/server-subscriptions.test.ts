import { describe, expect, it, vi } from 'vitest';
import { alice, files } from '../../test/fixtures/governed-world.ts';
import { recordingConnection } from '../../test/fixtures/recording-connection.ts';
import { createAuthority } from '../core/authorisation.ts';
import { LongshoreError } from '../core/errors.ts';
import type { Epoch } from '../core/ids.ts';
import { silentLog } from '../core/ports/log.ts';
import { ServerSubscriptions } from './server-subscriptions.ts';

const uri = 'note://a';

/** Subscriptions of one server, whose connections record what reached them, and leaves that can be taken back. */
function world() {
  const { mint, redeem } = createAuthority();
  const subscriptions = new ServerSubscriptions(silentLog);
  return {
    subscriptions,
    connect(name: string) {
      const connection = recordingConnection({ agentId: alice, serverKey: files, epoch: name as Epoch, redeem });
      subscriptions.attach(connection);
      return connection;
    },
    leave(caller: `client:${string}`) {
      const leave = Object.assign(
        (epoch: Epoch) => {
          if (!leave.holds) throw new LongshoreError('denied', 'A rule denies it now.');
          const operation = { agentId: alice, caller, epoch, wireName: uri, arguments: {}, definition: { name: uri } };
          return mint({ ...operation, method: 'resources/subscribe' });
        },
        { holds: true },
      );
      return leave;
    },
  };
}

describe('subscriptions of a server', () => {
  it('are made again on each new connection, by a leave for that one', async () => {
    const it = world();
    const first = it.connect('first');
    await it.subscriptions.subscribe(uri, it.leave('client:a'));
    first.end();
    const second = it.connect('second');
    await vi.waitFor(() => expect(second.sent.length).toBe(1));
    expect([...first.sent, ...second.sent]).toMatchObject([{ epoch: 'first' }, { epoch: 'second' }]);
  });

  it('are not made again for whom it is not allowed any more, and still for others', async () => {
    const it = world();
    it.connect('first');
    const [a, b] = [it.leave('client:a'), it.leave('client:b')];
    await it.subscriptions.subscribe(uri, a);
    await it.subscriptions.subscribe(uri, b);
    a.holds = false;
    const second = it.connect('second');
    await vi.waitFor(() => expect(second.sent).toMatchObject([{ caller: 'client:b' }]));
    b.holds = false;
    const third = it.connect('third');
    await it.subscriptions.setLogLevel('error');
    expect(third.sent).toEqual([]);
  });
});
