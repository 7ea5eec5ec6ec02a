import { describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import type { ChangeEntry } from '../governance/audit/audit.ts';
import { openStore } from '../store/store.ts';
import { hostSecrets, openVault } from './host-secrets.ts';

const value = 'sk-canary-7f3a91d2c4b8';

describe('the secrets of a host', () => {
  async function world() {
    const store = await openStore({ path: ':memory:', clock: systemClock });
    const recorded: ChangeEntry[] = [];
    const learned: string[] = [];
    const vault = openVault(store.secrets, undefined, {});
    let full = false;
    const secrets = hostSecrets({
      vault,
      audit: {
        note: entry => void recorded.push(entry),
        async change(entry) {
          await Promise.resolve();
          if (full) throw new LongshoreError('cannot-record', 'The disk is full.');
          recorded.push(entry);
        },
      },
      onSecrets: secrets => void learned.push(...secrets.map(({ value }) => value)),
    });
    return {
      secrets,
      vault,
      recorded,
      learned,
      fill: () => {
        full = true;
      },
      [Symbol.asyncDispose]: () => store.close(),
    };
  }

  it('S15: are recorded by name before they change, masked from then on, and never come out', async () => {
    await using it = await world();
    await it.secrets.set('my.token', value, { actor: 'operator' });
    expect(await it.vault.get('my.token')).toBe(value);
    expect(await it.secrets.list()).toMatchObject([{ name: 'my.token' }]);
    expect(await it.secrets.provider()).toBeDefined();
    expect(await it.secrets.remove('my.token', { actor: 'client:x' })).toBe(true);
    expect(it.recorded).toEqual([
      { action: 'secret_set', subject: 'my.token', caller: 'operator' },
      { action: 'secret_removed', subject: 'my.token', caller: 'client:x' },
    ]);
    expect(it.learned).toEqual([value]);
  });

  it('neither change nor name anything that could be a value where they cannot be set', async () => {
    await using it = await world();
    for (const [name, text] of [
      [`TOKEN=${value}`, 'x'],
      ['my.token', ''],
    ] as const) {
      await expect(it.secrets.set(name, text, { actor: 'operator' })).rejects.toMatchObject({ code: 'usage' });
    }
    expect(await it.secrets.remove(`TOKEN=${value}`, { actor: 'operator' })).toBe(false);
    expect(it.recorded).toEqual([]);
    it.fill();
    await expect(it.secrets.set('my.token', value, { actor: 'operator' })).rejects.toMatchObject({
      code: 'cannot-record',
    });
    expect(await it.secrets.list()).toEqual([]);
  });
});
