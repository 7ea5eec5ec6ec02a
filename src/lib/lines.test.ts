import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Lines } from './lines.ts';

const tooLong = () => new Error('too long');

it('gives the same lines however they are cut into pieces, and the last one without a line break at the end', () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme' }).map(line => line.replace(/[\r\n]/g, '')),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 5 })), (lines, sizes) => {
      const bytes = Buffer.from(lines.join('\n'));
      const reader = new Lines(1_000, tooLong);
      const read: string[] = [];
      let from = 0;
      for (const size of [...sizes, bytes.length]) {
        read.push(...reader.read(bytes.subarray(from, from + size)));
        from += size;
      }
      expect([...read, ...reader.rest()]).toEqual(
        lines.map(line => Buffer.from(line).toString().trim()).filter(Boolean),
      );
    }),
  );
});

it('refuses a line that is too long as soon as it is', () => {
  const reader = new Lines(4, tooLong);
  expect(reader.read(Buffer.from('abcd\nab'))).toEqual(['abcd']);
  expect(() => reader.read(Buffer.from('cde'))).toThrow('too long');
});
