import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader, type OversizedLine } from './line-reader.ts';

function readAll(chunks: readonly Buffer[], maxBytes = 1000): { lines: string[]; oversized: OversizedLine[] } {
  const lines: string[] = [];
  const oversized: OversizedLine[] = [];
  const reader = createLineReader({
    maxBytes,
    onLine: line => lines.push(line.toString()),
    onOversized: line => oversized.push(line),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, oversized };
}

describe('createLineReader', () => {
  it('gives the same lines however the bytes were cut into chunks', () => {
    const text = fc.string({ unit: 'grapheme' }).map(line => line.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat(20)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map(line => `${line}\n`).join(''));
        const chunks: Buffer[] = [];
        let start = 0;
        for (const cut of cuts) chunks.push(bytes.subarray(start, (start += cut)));
        chunks.push(bytes.subarray(start));
        expect(readAll(chunks).lines).toEqual(lines.filter(line => line !== ''));
      }),
    );
  });

  it('counts the last line even without a line end', () => {
    expect(readAll([Buffer.from('a\nb')]).lines).toEqual(['a', 'b']);
  });

  it('tells a line over the limit in short and reads on', () => {
    const long = Buffer.from(`{"id":7,${'x'.repeat(5000)}"end":1}\nnext\n`);
    for (const size of [1, 100, 1000, 10_000]) {
      const chunks = [];
      for (let start = 0; start < long.length; start += size) chunks.push(long.subarray(start, start + size));
      const { lines, oversized } = readAll(chunks);
      expect(lines).toEqual(['next']);
      expect(oversized).toHaveLength(1);
      expect(oversized[0]?.bytes).toBe(long.length - 'next\n'.length - 1);
      expect(oversized[0]?.head.startsWith('{"id":7,xxx')).toBe(true);
      expect(oversized[0]?.tail.endsWith('xxx"end":1}')).toBe(true);
    }
  });

  it('takes a line of exactly the limit', () => {
    expect(readAll([Buffer.from(`${'x'.repeat(1000)}\n`)]).lines).toHaveLength(1);
    expect(readAll([Buffer.from(`${'x'.repeat(1001)}\n`)]).oversized).toHaveLength(1);
  });
});
