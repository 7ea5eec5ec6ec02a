import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorTable, LongshoreError } from '../core/errors.ts';
import { serverHealth } from '../core/server-health.ts';
import { commandEntry } from './command-table.ts';

describe("what a server's health tells a person to type", () => {
  it('is a command that there is, in its sentence too', () => {
    for (const code of Object.keys(errorTable) as ErrorCode[]) {
      const life = { name: 'failed', error: new LongshoreError(code, 'It failed.') } as const;
      const facts = { serverKey: 'notes', enabled: true, life, tools: 0, shortcomings: [], changedTools: [] };
      const { sentence, action } = serverHealth(facts, 0);
      for (const [, verb] of `${sentence} ${action.command ?? ''}`.matchAll(/\blongshore ([a-z]+)/g)) {
        expect([code, verb, commandEntry(verb)?.name]).toEqual([code, verb, verb]);
      }
    }
  });
});
