import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ServerKey, serverKey } from '../../core/ids.ts';
import { handleName } from './handle-names.ts';

const keys = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/).map(serverKey);
const wireNames = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.stringMatching(/^[a-z_./:-]{1,12}$/),
  fc.string({ minLength: 40, maxLength: 300 }),
);

describe('handle names', () => {
  it('S13: fit every client and need no neighbour, order or restart', () => {
    fc.assert(
      fc.property(keys, wireNames, (key, wireName) => {
        const name = handleName(key, wireName);
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,48}$/);
        expect(handleName(key, wireName)).toBe(name);
      }),
    );
  });

  it('S13: leave a name that fits as it is', () => {
    expect(handleName(serverKey('mcp-time'), 'get_current_time')).toBe('mcp-time__get_current_time');
    const longKey = serverKey('k'.repeat(32));
    expect(handleName(longKey, 'abcdefghijklmn')).toBe(`${longKey}__abcdefghijklmn`);
  });

  it('S13: tell a.b, a/b, a:b, a 200-char name and emoji apart', () => {
    const odd = ['a.b', 'a/b', 'a:b', 'a_b', 'x'.repeat(200), 'x'.repeat(201), '🙂', '🙃', ' '];
    const names = odd.map(wireName => handleName(serverKey('srv'), wireName));
    expect(new Set(names).size).toBe(odd.length);
    expect(names[0]).toMatch(/^srv__a_b_[0-9a-f]{6}$/);
    expect(names[4]).toMatch(/^srv__x{36}_[0-9a-f]{6}$/);
    expect(names[6]).toMatch(/^srv__x_[0-9a-f]{6}$/);
  });

  it('S13: differ wherever server or wire name differ', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(keys, wireNames), { selector: pair => pair.join('\0') }), pairs => {
        const names = pairs.map(([key, wireName]) => handleName(key, wireName));
        expect(new Set(names).size).toBe(pairs.length);
      }),
    );
  });

  it('never let a tool name reach into another server, however underscores fall', () => {
    const underscored = fc.stringMatching(/^[a_]{1,6}$/);
    fc.assert(
      fc.property(underscored, underscored, underscored, underscored, (key1, tool1, key2, tool2) => {
        fc.pre(key1 !== key2);
        expect(handleName(key1 as ServerKey, tool1)).not.toBe(handleName(key2 as ServerKey, tool2));
      }),
      { numRuns: 1000 },
    );
  });
});
