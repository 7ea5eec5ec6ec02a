import { LongshoreError } from '../core/errors.ts';
import type { ConnectionState } from './connection.ts';

export type StateName = ConnectionState['name'];

/** What can happen to a connection. */
export type StateEvent =
  /** The runner opened the server. */
  | 'opened'
  /** Negotiation failed and the runner has another way to the same server. */
  | 'another-way'
  | 'negotiated'
  /** The first listing succeeded, so calls may come (R40). */
  | 'discovered'
  /** Somebody closes it, or it was lost. */
  | 'close'
  /** Everything of it is seen to be gone. */
  | 'gone'
  /** Both budgets are used up and something is left (R52). */
  | 'stuck';

/** Every step there is; docs/connections.md draws exactly these. Anything else is a mistake of ours. */
export const transitions: Readonly<Record<StateName, Readonly<Partial<Record<StateEvent, StateName>>>>> = {
  opening: { opened: 'negotiating', close: 'closing' },
  negotiating: { 'another-way': 'opening', negotiated: 'discovering', close: 'closing' },
  discovering: { discovered: 'ready', close: 'closing' },
  ready: { close: 'closing' },
  closing: { gone: 'closed', stuck: 'close-failed' },
  closed: {},
  'close-failed': { close: 'closing' },
};

/** The state after an event. Throws `internal` for a step that is not in the table. */
export function nextState(state: StateName, event: StateEvent): StateName {
  const next = transitions[state][event];
  if (next === undefined) {
    throw new LongshoreError('internal', `A connection that is ${state} cannot become anything by "${event}".`);
  }
  return next;
}

/** The state of one connection over its life. */
export class Life {
  #state: ConnectionState = { name: 'opening' };

  get state(): ConnectionState {
    return this.#state;
  }

  /** Takes a step; the reason is kept where the new state has one. Throws `internal`, see `nextState`. */
  step(event: StateEvent, reason = ''): void {
    const name = nextState(this.#state.name, event);
    this.#state = name === 'closed' || name === 'close-failed' ? { name, reason } : { name };
  }
}
