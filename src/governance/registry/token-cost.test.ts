import { describe, expect, it } from 'vitest';
import { tokenCost } from './token-cost.ts';

describe('the cost of a tool', () => {
  it('is a quarter of the bytes of what a model is shown, rounded up', () => {
    const shown = { name: 'echo', title: 'Echo', description: 'Says it back.', inputSchema: { type: 'object' } };
    expect(tokenCost(shown)).toBe(Math.ceil(JSON.stringify(shown).length / 4));
    expect(tokenCost({ name: 'echo' })).toBe(4);
    expect(tokenCost({ name: 'echo', description: '天'.repeat(9) })).toBeGreaterThan(
      tokenCost({ name: 'echo', description: 'a'.repeat(9) }),
    );
  });

  it('leaves out what clients keep to themselves', () => {
    const icons = [{ src: `data:image/png;base64,${'A'.repeat(9_000)}` }];
    const hidden = { outputSchema: { type: 'object' }, annotations: { readOnlyHint: true }, _meta: { x: 1 }, icons };
    expect(tokenCost({ name: 'echo', ...hidden })).toBe(tokenCost({ name: 'echo' }));
  });
});
