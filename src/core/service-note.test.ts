import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseServiceNote } from './service-note.ts';

describe('parseServiceNote', () => {
  it('reads what a service has written, and leaves out what it does not know', () => {
    expect(parseServiceNote('{"pid":7,"home":"/h","url":"http://127.0.0.1:1","later":1}')).toEqual({
      pid: 7,
      home: '/h',
      url: 'http://127.0.0.1:1',
    });
    expect(parseServiceNote('{"pid":7,"home":"/h","certificate":"PEM","url":5}')).toEqual({
      pid: 7,
      home: '/h',
      certificate: 'PEM',
    });
  });

  it('takes nothing else for a note, and never a process group for a process', () => {
    for (const text of ['', '{', 'null', '[]', '{}', '{"pid":7}', '{"pid":7,"home":1}']) {
      expect(parseServiceNote(text)).toBeUndefined();
    }
    for (const pid of ['"7"', '0', '-1', '1.5', 'null']) {
      expect(parseServiceNote(`{"pid":${pid},"home":"/h"}`)).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), text => {
        const note = parseServiceNote(text);
        expect(note === undefined || note.pid > 0).toBe(true);
      }),
    );
  });
});
