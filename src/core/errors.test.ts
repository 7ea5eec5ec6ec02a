import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asLongshoreError, type ErrorRow, errorTable, LongshoreError } from './errors.ts';

const rows = Object.entries<ErrorRow>(errorTable);

describe('the error table', () => {
  it('is what docs/errors.md lists: every code in the same order, with status, exit code and retry, and a sentence', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
    const listed = page
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line => line.split('|').map(cell => cell.trim()));
    expect(listed.map(cells => cells.slice(1, 5))).toEqual(
      rows.map(([code, row]) => [`\`${code}\``, String(row.http), String(row.exit), row.retryable ? 'yes' : 'no']),
    );
    for (const [, code, , , , sentence] of listed) expect(`${code} ${sentence}`).toMatch(/^`[a-z-]+` [A-Z].{20,}\.$/);
  });

  it('never calls a request retryable that may have run', () => {
    const mayHaveRun: LongshoreError['code'][] = [
      'unknown-outcome',
      'timeout',
      'tool-error',
      'server-error',
      'cancelled',
    ];
    expect(mayHaveRun.filter(code => errorTable[code].retryable)).toEqual([]);
  });
});

describe('LongshoreError', () => {
  it('carries its code, its row, its facts and its cause', () => {
    const cause = new Error('ENOSPC');
    const error = new LongshoreError('cannot-record', 'The disk is full.', { cause, data: { path: 'x' } });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('LongshoreError');
    expect(error.cause).toBe(cause);
    expect(error.data).toEqual({ path: 'x' });
    expect(error.row).toBe(errorTable['cannot-record']);
    expect('cause' in new LongshoreError('internal', 'x')).toBe(false);
  });

  it('is kept where it is one already; anything else becomes internal, or the code that is given, with its cause', () => {
    const own = new LongshoreError('denied', 'No.');
    expect(asLongshoreError(own, 'timeout')).toBe(own);
    const cause = new TypeError('x is not a function');
    expect(asLongshoreError(cause)).toMatchObject({ code: 'internal', message: 'x is not a function', cause });
    expect(asLongshoreError('text', 'unreachable')).toMatchObject({ code: 'unreachable', message: 'text' });
  });
});
