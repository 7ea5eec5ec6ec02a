import { LongshoreError } from './core/errors.ts';
import type { InstanceId } from './core/ids.ts';
import type { Holding } from './core/ports/ledger.ts';
import type { HostGround } from './host-ground.ts';
import type { Callers } from './store/callers.ts';
import type { Home } from './store/home.ts';
import type { HomeLock } from './store/home-lock.ts';
import type { Store } from './store/store.ts';

/** What a program needs that serves a home to others. */
export interface HostService {
  readonly home: Home;
  readonly callers: Callers;
  /** Says in the home where it is reached. Throws `cannot-record`. */
  announce: HomeLock['announce'];
  /** What should be gone and is not: holdings of ended runs, and those that could not be removed. */
  leftovers(): Promise<readonly Holding[]>;
}

/** The service side of a host. Throws `usage` for an ephemeral one: nobody could find it. */
export function hostService(ground: HostGround, store: Store, instance: InstanceId): HostService {
  if (!ground.home) throw new LongshoreError('usage', 'An ephemeral host has no home to serve.');
  const { files, announce } = ground.home;
  return {
    home: files,
    callers: store.callers,
    announce,
    async leftovers() {
      const holdings = await store.ledger.list();
      return holdings.filter(holding => holding.instance !== instance || holding.state === 'failed');
    },
  };
}
