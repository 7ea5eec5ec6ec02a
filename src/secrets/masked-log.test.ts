import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Log } from '../core/ports/log.ts';
import { maskedLog } from './masked-log.ts';
import { createRedactor } from './redact.ts';

const canary = 'sk-canary-7f3a91d2c4e8';

function recorded() {
  const lines: { readonly fields: object; readonly message: string }[] = [];
  const note = (fields: object, message: string) => void lines.push({ fields, message });
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const redactor = createRedactor();
  redactor.learn([{ name: 'A_KEY', value: canary }]);
  return { lines, log: maskedLog(log, redactor) };
}

describe('a log that is masked', () => {
  it('S15: says no secret, in a sentence, a field of any depth, a name, an error, its causes or its stack', () => {
    const { lines, log } = recorded();
    const cause = new Error(`inner ${canary}`);
    const failure = Object.assign(new Error(`outer ${canary}`, { cause }), { data: { said: [canary] } });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      log[level]({ err: failure, [canary]: 1, deep: [{ texts: [`x${canary}y`] }] }, `it said ${canary}`);
    }
    log.warn({ url: new URL(`http://h/${canary}`) }, 'a URL');
    expect(lines).toHaveLength(5);
    for (const { fields, message } of lines) {
      expect(inspect({ fields, message }, { depth: 20, showHidden: true })).not.toContain(canary);
    }
  });

  it('leaves everything else as it is, errors too', () => {
    const { lines, log } = recorded();
    const err = Object.assign(new TypeError('no secret'), { code: 'EX' });
    log.info({ server: 'notes', count: 2, none: null, err }, 'All is well.');
    const [line = { fields: {}, message: '' }] = lines;
    expect(line).toMatchObject({ message: 'All is well.', fields: { server: 'notes', count: 2, none: null } });
    const told = (line.fields as { readonly err: Error }).err;
    expect(told).toBeInstanceOf(Error);
    expect([told.name, told.message, told.stack]).toEqual(['TypeError', 'no secret', err.stack]);
    expect(told).toMatchObject({ code: 'EX' });
  });

  it('ends where something refers to itself', () => {
    const { lines, log } = recorded();
    const loop: { self?: object } = {};
    loop.self = loop;
    log.info({ loop }, 'round and round');
    expect(lines).toHaveLength(1);
  });
});
