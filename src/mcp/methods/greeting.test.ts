import { describe, expect, it } from 'vitest';
import type { ServerKey } from '../../core/ids.ts';
import { initializeResult, mergedInstructions } from './greeting.ts';

const said = (server: string, instructions: string | undefined) => ({ server: server as ServerKey, instructions });

describe('how a client is greeted', () => {
  it('tells the instructions of every server under a heading of its own', () => {
    expect(mergedInstructions([said('a', 'Do this.'), said('b', undefined), said('c', ' Do that.\n')])).toBe(
      '# a\n\nDo this.\n\n# c\n\nDo that.',
    );
    expect(mergedInstructions([said('a', undefined), said('b', '  ')])).toBeUndefined();
  });

  it('cuts instructions that are too long, and says what it leaves out', () => {
    const long = mergedInstructions([said('a', 'x'.repeat(20_000))]) ?? '';
    expect(long.length).toBeLessThan(9_000);
    expect(long).toContain('cut after 8192 characters');
    const many = mergedInstructions(['a', 'b', 'c', 'd', 'e', 'f'].map(key => said(key, key.repeat(8_000)))) ?? '';
    expect(many.length).toBeLessThan(34_000);
    expect(many).toContain('The instructions of e, f are left out');
  });

  it('R44: speaks the revision that a 2025 client asks for, and its newest where it does not know that', () => {
    expect(initializeResult({ protocolVersion: '2025-03-26' }, undefined).protocolVersion).toBe('2025-03-26');
    expect(initializeResult({ protocolVersion: '2024-10-07' }, undefined).protocolVersion).toBe('2025-11-25');
    expect(initializeResult({ protocolVersion: '2026-07-28' }, 'x')).toMatchObject({
      protocolVersion: '2025-11-25',
      instructions: 'x',
    });
  });
});
