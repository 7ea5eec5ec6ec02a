import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Life, nextState, type StateEvent, type StateName, transitions } from './state-machine.ts';

const states = Object.keys(transitions) as StateName[];
const events = [...new Set(states.flatMap(state => Object.keys(transitions[state]) as StateEvent[]))] as const;

/** The shortest events that lead to a state. */
const paths: Record<StateName, readonly StateEvent[]> = {
  opening: [],
  negotiating: ['opened'],
  discovering: ['opened', 'negotiated'],
  ready: ['opened', 'negotiated', 'discovered'],
  closing: ['close'],
  closed: ['close', 'gone'],
  'close-failed': ['close', 'stuck'],
};

function lifeIn(state: StateName): Life {
  const life = new Life();
  for (const event of paths[state]) life.step(event, 'why');
  return life;
}

describe('the states of a connection', () => {
  const steps = states.flatMap(state => events.map(event => ({ state, event, to: transitions[state][event] })));

  it.each(steps.filter(step => step.to !== undefined))('goes by $event from $state to $to', ({ state, event, to }) => {
    const life = lifeIn(state);
    life.step(event, 'because');
    const reason = to === 'closed' || to === 'close-failed' ? { reason: 'because' } : {};
    expect(life.state).toEqual({ name: to, ...reason });
  });

  it.each(steps.filter(step => step.to === undefined))('refuses $event in $state, and stays', ({ state, event }) => {
    const life = lifeIn(state);
    expect(() => life.step(event)).toThrow(`${state} cannot become anything by "${event}"`);
    expect(life.state.name).toBe(state);
  });

  it('R54: leaves nothing open from close-failed but another close', () => {
    expect(Object.keys(transitions['close-failed'])).toEqual(['close']);
    expect(nextState('close-failed', 'close')).toBe('closing');
  });

  it('can be closed from every state in which something may be left', () => {
    const closable = states.filter(state => transitions[state].close !== undefined);
    expect(closable).toEqual(states.filter(state => state !== 'closing' && state !== 'closed'));
  });

  it('is drawn in docs/connections.md exactly as it is', async () => {
    const page = await readFile(new URL('../../docs/connections.md', import.meta.url), 'utf8');
    const drawn = [...page.matchAll(/^ {2}([a-z-]+) --> ([a-z-]+): ([a-z-]+)$/gm)].map(
      ([, from, to, by]) => `${from} ${by} ${to}`,
    );
    const real = states.flatMap(from => Object.entries(transitions[from]).map(([by, to]) => `${from} ${by} ${to}`));
    expect(drawn.toSorted()).toEqual(real.toSorted());
    for (const event of events) expect(page).toContain(`| \`${event}\` |`);
  });
});
