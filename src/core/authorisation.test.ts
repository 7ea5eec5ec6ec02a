import { describe, expect, it } from 'vitest';
import { type Authorisation, createAuthority } from './authorisation.ts';
import { LongshoreError } from './errors.ts';
import type { AgentId, Epoch } from './ids.ts';
import type { Operation } from './words.ts';

const operation: Operation = {
  agentId: 'did:x:1' as AgentId,
  caller: 'library',
  epoch: 'e1' as Epoch,
  method: 'tools/call',
  wireName: 'delete_all',
  arguments: {},
  definition: { name: 'delete_all' },
};

const forge = (value: unknown) => value as Authorisation;

describe('an authorisation', () => {
  it('gives back the very operation that it was minted for', () => {
    const { mint, redeem } = createAuthority();
    const other = { ...operation, wireName: 'read' };
    const [first, second] = [mint(operation), mint(other)];
    expect(redeem(second)).toBe(other);
    expect(redeem(first)).toBe(operation);
  });

  it.each<[string, (real: Authorisation) => Authorisation]>([
    ['a look-alike', () => forge(Object.freeze({}))],
    ['a copy', real => forge({ ...real })],
    ['a deep copy', real => forge(structuredClone(real))],
    ['an object that inherits from it', real => forge(Object.create(real))],
    ['a proxy of it', real => new Proxy(real, {})],
    ['one of another authority', () => createAuthority().mint(operation)],
    ['the operation itself', () => forge(operation)],
    ['a text', () => forge('authorised')],
    ['null', () => forge(null)],
    ['undefined', () => forge(undefined)],
    ['a function', () => forge(() => operation)],
  ])('R40: cannot be forged by %s', (_, forged) => {
    const { mint, redeem } = createAuthority();
    const real = mint(operation);
    expect(() => redeem(forged(real))).toThrow(
      expect.objectContaining({ code: 'forged-authorisation' }) as LongshoreError,
    );
    expect(redeem(real)).toBe(operation);
  });

  it('R40: works once', () => {
    const { mint, redeem } = createAuthority();
    const real = mint(operation);
    redeem(real);
    expect(() => redeem(real)).toThrow(LongshoreError);
    expect(() => redeem(real)).toThrow(/already used/);
  });

  it('tells nothing of what it allows, and cannot be made to', () => {
    const real = createAuthority().mint(operation);
    expect(Reflect.ownKeys(real)).toEqual([]);
    expect(Object.isFrozen(real)).toBe(true);
  });
});
