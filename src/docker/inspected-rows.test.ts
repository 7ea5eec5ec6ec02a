import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inspectedRows } from './inspected-rows.ts';

const row = z.object({ Id: z.string() });

describe('D5: what an engine tells of images and containers', () => {
  it.each([
    ['docker, one', '{"Id":"a"}\n'],
    ['podman, one', '[{"Id":"a"}]\n'],
    ['podman, on many lines', '[\n  {\n    "Id": "a"\n  }\n]\n'],
  ])('is read from %s', (_, text) => {
    expect(inspectedRows(row, text)).toEqual([{ Id: 'a' }]);
  });

  it.each([
    ['docker', '{"Id":"a"}\n{"Id":"b"}\n'],
    ['podman, one array', '[{"Id":"a"},{"Id":"b"}]'],
    ['podman, an array for each', '[{"Id":"a"}]\n[{"Id":"b"}]\n'],
  ])('is read of several from %s', (_, text) => {
    expect(inspectedRows(row, text)).toEqual([{ Id: 'a' }, { Id: 'b' }]);
  });

  it('is nothing where nothing was printed', () => {
    expect(inspectedRows(row, '\n')).toEqual([]);
    expect(inspectedRows(row, '[]')).toEqual([]);
  });

  it.each(['{"id":1}', 'Error', '[{"Id":1}]'])('is told in words where it is not understood: %s', text => {
    expect(() => inspectedRows(row, text)).toThrow(expect.objectContaining({ code: 'docker-failed' }));
    expect(() => inspectedRows(row, text)).toThrow(/not understood/);
  });
});
