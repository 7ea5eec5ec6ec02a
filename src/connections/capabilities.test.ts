import { describe, expect, it } from 'vitest';
import { changingLists, listsOf, supports } from './capabilities.ts';

const capabilities = { tools: { listChanged: true }, resources: { subscribe: false }, prompts: {}, logging: null };

describe('what a connection may count on', () => {
  it.each([
    ['tools', true],
    ['tools.listChanged', true],
    ['resources', true],
    ['resources.subscribe', false],
    ['resources.listChanged', false],
    ['logging', false],
    ['completions', false],
    ['tools.listChanged.deeper', false],
    ['toString', false],
  ])('R47: asks the capabilities for %s', (feature, expected) => {
    expect(supports({ era: 'legacy', capabilities }, feature)).toBe(expected);
  });

  it('R47: a listen stream needs the revision that has it, whatever the capabilities say', () => {
    expect(supports({ era: 'legacy', capabilities }, 'subscriptions.listen')).toBe(false);
    expect(supports({ era: 'modern', capabilities }, 'subscriptions.listen')).toBe(true);
    expect(supports({ era: 'modern', capabilities: { tools: {} } }, 'subscriptions.listen')).toBe(false);
  });

  it('B5: takes an empty list for the empty object that some languages cannot write', () => {
    expect(listsOf({ tools: [], resources: null, prompts: [1], logging: [] })).toEqual(['tools']);
    expect(supports({ era: 'legacy', capabilities: { logging: [] } }, 'logging')).toBe(true);
  });

  it('knows which lists there are and which of them tell changes', () => {
    expect(listsOf(capabilities)).toEqual(['tools', 'resources', 'prompts']);
    expect(listsOf({})).toEqual([]);
    expect(changingLists(capabilities)).toEqual(['tools']);
  });
});
