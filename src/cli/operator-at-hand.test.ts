import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordedTerminal } from '../../test/fixtures/recorded-terminal.ts';
import { requireOperator } from './operator-at-hand.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'longshore-operator-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const script = recordedTerminal({ canAsk: false });
const person = recordedTerminal({ canAsk: true });

describe('requireOperator', () => {
  it('lets a person at a terminal decide, and refuses a program that merely runs commands', () => {
    expect(requireOperator(person, {})).toBeUndefined();
    expect(() => requireOperator(script, {})).toThrow(expect.objectContaining({ code: 'denied' }));
  });

  it('lets a script decide that names the token on purpose, with that token', () => {
    const file = join(folder, 'operator.token');
    const token = `lso_${'t'.repeat(43)}`;
    writeFileSync(file, `${token}\n`);
    expect(requireOperator(script, { operatorToken: file })).toBe(token);
    expect(requireOperator(person, { operatorToken: file })).toBe(token);
  });

  it('takes no other file for the token, and repeats nothing of it', () => {
    const file = join(folder, 'other');
    writeFileSync(file, 'lsc_geheim');
    for (const path of [file, join(folder, 'none')]) {
      expect(() => requireOperator(script, { operatorToken: path })).toThrow(
        expect.objectContaining({ code: 'usage' }),
      );
    }
    expect(() => requireOperator(script, { operatorToken: file })).not.toThrow(/geheim/);
  });
});
