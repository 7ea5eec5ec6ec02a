import { Command } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { wholeScope } from '../core/caller-scope.ts';
import { readScopeFlags, scopeText, withScopeFlags, withWideningFlags } from './scope-flags.ts';

function read(...argv: readonly string[]) {
  const command = withWideningFlags(withScopeFlags(new Command().exitOverride()));
  return readScopeFlags(command.parse(argv, { from: 'user' }).opts());
}

describe('the flags of a token', () => {
  it('say only what they speak about', () => {
    expect(read()).toEqual({});
    expect(read('--server', 'github', '--server', 'files')).toEqual({ servers: ['github', 'files'] });
    expect(read('--tools', '*.read_*', '--read-only')).toEqual({ tools: ['*.read_*'], risk: 'read-only' });
    expect(read('--pin', 'github.*', '--manage')).toEqual({ list: { pins: ['github.*'] }, manages: true });
    expect(read('--find')).toEqual({ list: { pins: [] } });
    expect(read('--find', '--pin', 'a.*')).toEqual({ list: { pins: ['a.*'] } });
  });

  it('take every limit away again', () => {
    expect(read('--server', '*', '--tools', '*', '--no-read-only', '--no-find', '--no-manage')).toEqual(wholeScope);
    expect(() => read('--no-find', '--pin', 'a.*')).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  it('are told in a few words', () => {
    expect(scopeText(wholeScope)).toBe('everything');
    expect(scopeText({ ...wholeScope, servers: [], manages: true })).toBe('servers none, manages servers');
    const narrow = { ...wholeScope, tools: ['*.read_*'], risk: 'read-only', list: { pins: ['a.*'] } } as const;
    expect(scopeText(narrow)).toBe('tools *.read_*, read-only, lists a.* find_tools');
  });
});
