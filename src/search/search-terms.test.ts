import { describe, expect, it } from 'vitest';
import { queryTerms, searchTerms } from './search-terms.ts';

describe('the terms of a query', () => {
  it('S10: are bounded, however much is asked', () => {
    expect(queryTerms('read files')).toEqual(searchTerms('read files'));
    for (const text of ['word ', 'camelCase', 'AB', 'ภาษาไทย', '漢字', 'é', 'ﷺ', 'a_', '1 ']) {
      const terms = queryTerms(text.repeat(2_000_000 / text.length));
      expect(terms.length).toBeLessThan(33);
      expect(Math.max(...terms.map(term => term.length))).toBeLessThan(65);
    }
  });
});
