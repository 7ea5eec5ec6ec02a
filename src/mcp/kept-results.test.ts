import { describe, expect, it } from 'vitest';
import { endpointClient } from '../../test/fixtures/endpoint-client.ts';
import { isJsonObject } from '../core/json.ts';
import { KeptResults } from './kept-results.ts';

const large = { content: [{ type: 'text', text: 'x'.repeat(5_000) }], structuredContent: { n: 1 } };

describe('a result that is too large', () => {
  it('is kept whole for its own client, which gets a summary with its address', () => {
    const kept = new KeptResults();
    const summary = kept.within(endpointClient('one'), 'notes__find', large, 4_000, false);
    expect(JSON.stringify(summary).length).toBeLessThan(4_000);
    const [text, link] = summary.content as readonly Record<string, string>[];
    expect(text?.text).toContain('notes__find');
    expect(link).toMatchObject({ type: 'resource_link', mimeType: 'application/json' });
    const uri = link?.uri ?? '';
    const read = kept.read(endpointClient('one'), uri);
    const [content] = (read?.contents ?? []) as readonly Record<string, string>[];
    expect(JSON.parse(content?.text ?? '')).toEqual(large);
    expect(kept.read(endpointClient('two'), uri)).toBeUndefined();
    expect(kept.read(endpointClient('one'), `${uri}x`)).toBeUndefined();
    kept.clear();
    expect(kept.read(endpointClient('one'), uri)).toBeUndefined();
  });

  it('passes as it is where it is not too large', () => {
    const kept = new KeptResults();
    expect(kept.within(endpointClient('one'), 'x', large, 10_000, false)).toBe(large);
  });

  it('is told as an error where its tool promised a structure, for a client would refuse it without', () => {
    const kept = new KeptResults();
    expect(kept.within(endpointClient('one'), 'x', large, 1_000, true)).toHaveProperty('isError', true);
    expect(kept.within(endpointClient('one'), 'x', large, 1_000, false)).not.toHaveProperty('isError');
    expect(isJsonObject(kept.within(endpointClient('one'), 'x', { ...large, isError: true }, 1_000, false))).toBe(true);
    kept.clear();
  });
});
