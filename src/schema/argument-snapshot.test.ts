import { describe, expect, it } from 'vitest';
import { received } from './argument-snapshot.ts';

describe('the copy of arguments', () => {
  it('is made by structure, whatever a list of the caller says of itself', () => {
    const changeable = { path: '/public' };
    const list: unknown[] = [{ path: '/public' }];
    Object.assign(list, { map: () => [changeable], length: 1 });
    class Sly extends Array<unknown> {
      override map(): never[] {
        return [changeable as never];
      }
    }
    const sly = Sly.from([{ path: '/public' }]);
    const proxy = new Proxy([{ path: '/public' }], {
      get: (target, name, self) => (name === 'map' ? () => [changeable] : (Reflect.get(target, name, self) as unknown)),
    });
    for (const given of [list, sly, proxy]) {
      const { args } = received({ given });
      changeable.path = '/secret';
      for (const item of given) (item as { path: string }).path = '/secret';
      expect(args).toEqual({ given: [{ path: '/public' }] });
      const copy = args?.['given'] as readonly unknown[] | undefined;
      expect([copy, copy?.[0]].map(Object.isFrozen)).toEqual([true, true]);
    }
  });

  it('refuses a list that is longer than all arguments may be, at once', () => {
    expect(received({ a: Array.from({ length: 200_001 }, () => 1) })).toMatchObject({ args: undefined });
    expect(received({ a: new Array(4_000_000_000) })).toMatchObject({ args: undefined });
  });
});
