import { describe, expect, it } from 'vitest';
import { alice, endOf, governedWorld } from '../../test/fixtures/governed-world.ts';
import { homeTokens } from './home-tokens.ts';

async function world() {
  const made = await governedWorld();
  const tokens = homeTokens({ callers: made.store.callers, audit: made.audit, onChanged: () => {} });
  const actions = async () => {
    await made.recorded();
    return (await made.rows()).map(({ action }) => action).filter(action => action !== 'test_flush');
  };
  return Object.assign(made, { tokens, actions });
}

describe('changes of tokens in the record', () => {
  it.each(['bad name!', '', 'x'.repeat(65)])('U4: one that is refused (%j) is not recorded as made', async name => {
    await using here = await world();
    expect(await endOf(here.tokens.create('operator:cli', name, alice))).toBe('usage');
    expect(await endOf(here.tokens.create('operator:cli', 'ok', alice, { tools: ['a.b when x = 1'] }))).toBe('usage');
    expect(await endOf(here.tokens.setScope('operator:cli', 'nobody', {}))).toBe('unknown-caller');
    expect(await here.tokens.revoke('operator:cli', 'nobody')).toBe(false);
    expect(await here.actions()).toEqual([]);
  });

  it('U4: one that fails after all is followed by its failure', async () => {
    await using here = await world();
    const callers = { ...here.store.callers, create: () => Promise.reject(new Error('the disk is full')) };
    const tokens = homeTokens({ callers, audit: here.audit, onChanged: () => {} });
    await expect(tokens.create('operator:cli', 'claude', alice)).rejects.toThrow('disk is full');
    expect(await here.actions()).toEqual(['token_created', 'token_created_failed']);
    expect((await here.rows())[1]).toMatchObject({ subject: 'claude', message: 'the disk is full' });
  });
});
