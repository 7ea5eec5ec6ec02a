import { describe, expect, it } from 'vitest';
import { secretValues } from './secret-values.ts';
import type { MCPServerConfig } from './types.ts';

describe('secretValues', () => {
  const secrets = (config: Omit<MCPServerConfig, 'name'>, fromSecrets: string[] = []) =>
    secretValues({
      config: { name: 'x', ...config },
      fromSecrets: fromSecrets.map(value => ({ name: 'STORED', value })),
    }).map(({ value }) => value);

  it('S15: are the values of env and headers, also without their scheme, longest first', () => {
    expect(secrets({ env: { K: 'sk-123' }, headers: { Authorization: 'Bearer abcdef' } })).toEqual([
      'Bearer abcdef',
      'abcdef',
      'sk-123',
    ]);
  });

  it('S15: are whatever came from the secret store, wherever it was put', () => {
    expect(secrets({ args: ['s3cr3t-value'] }, ['s3cr3t-value'])).toEqual(['s3cr3t-value']);
  });

  it('S15: are arguments and query parameters with a secret-looking name', () => {
    const args = ['--token', 'tok-1', '--api-key=key-2', '-e', 'PASSWORD=pass3', '--root', '/srv', '--mode=fast'];
    expect(secrets({ args, endpoint: 'http://h/mcp?access_token=abc%20d&page=2' }).toSorted()).toEqual([
      'abc d',
      'abc%20d',
      'key-2',
      'pass3',
      'tok-1',
    ]);
  });

  it('are not words, small numbers, paths and plain addresses, unless their name is secret', () => {
    const env = { A: 'production', B: '3000', C: '/home/ann', D: 'https://h.example/x', E: 'abc', F: 'true' };
    expect(secrets({ env })).toEqual([]);
    expect(secrets({ env: { DB_PASSWORD: 'production', AUTHOR: 'ann', USE_TOKEN: 'true' } })).toEqual(['production']);
  });
});
