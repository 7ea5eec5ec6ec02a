import { describe, expect, it } from 'vitest';
import { LongshoreError } from '../core/errors.ts';
import { type ReferenceSources, resolveReferences } from './resolve-references.ts';
import type { MCPServerConfig } from './types.ts';

const sources: ReferenceSources = {
  env: { HOME: '/home/ann', EMPTY: '', 'ProgramFiles(x86)': 'C:\\x', NESTED: '${secret:token}' },
  secret: name => Promise.resolve(name === 'token' ? 's3cr3t-value' : undefined),
};

async function failure(config: MCPServerConfig, from: ReferenceSources = sources): Promise<LongshoreError> {
  const error: unknown = await resolveReferences(config, from).catch((reason: unknown) => reason);
  if (error instanceof LongshoreError) return error;
  throw new Error('expected a LongshoreError');
}

describe('resolveReferences', () => {
  it('resolves in command, arguments, env, cwd, endpoint and headers, and nowhere else', async () => {
    const config: MCPServerConfig = {
      name: '${env:HOME}',
      command: '${env:HOME}/bin/x',
      args: ['--root=${env:HOME}', '${env:MISSING:-none}', 'plain'],
      env: { ROOT: '${env:HOME}', '${env:HOME}': 'kept' },
      cwd: '${env:HOME}/srv',
      endpoint: 'http://h/mcp?t=${secret:token}',
      headers: { Authorization: 'Bearer ${secret:token}' },
    };
    const resolved = await resolveReferences(config, sources);
    expect(resolved).toEqual({
      config: {
        name: '${env:HOME}',
        command: '/home/ann/bin/x',
        args: ['--root=/home/ann', 'none', 'plain'],
        env: { ROOT: '/home/ann', '${env:HOME}': 'kept' },
        cwd: '/home/ann/srv',
        endpoint: 'http://h/mcp?t=s3cr3t-value',
        headers: { Authorization: 'Bearer s3cr3t-value' },
      },
      fromSecrets: [{ name: 'token', value: 's3cr3t-value' }],
    });
  });

  it('takes a default for an unset or empty variable, and an empty variable without default as empty', async () => {
    const args = ['${env:EMPTY:-d}', '${env:NONE:-d}', '${env:HOME:-d}', '${env:EMPTY}', '${env:NONE:-}'];
    const { config } = await resolveReferences({ name: 'x', command: 'y', args }, sources);
    expect(config.args).toEqual(['d', 'd', '/home/ann', '', '']);
  });

  it('does not let a variable of the environment ask for a secret', async () => {
    const { config } = await resolveReferences({ name: 'x', command: 'y', args: ['${env:NESTED}'] }, sources);
    expect(config.args).toEqual(['${secret:token}']);
  });

  it('does not take a member of every object for a variable', async () => {
    expect((await failure({ name: 'x', command: '${env:constructor}' })).code).toBe('unresolved-reference');
  });

  it('names every reference without a value, its place, and where to set it', async () => {
    const error = await failure({
      name: 'notes',
      command: 'y',
      args: ['${env:NONE}'],
      env: { A: '${secret:other}', B: '${env:NONE}' },
    });
    expect(error.code).toBe('unresolved-reference');
    expect(error.message).toContain('Server notes');
    expect(error.message).toContain('${env:NONE} in args[0]');
    expect(error.message).toContain('set NONE in the environment');
    expect(error.message).toContain('longshore secret set other');
    expect(error.data?.['references']).toEqual([
      { place: 'args[0]', source: 'env', name: 'NONE' },
      { place: 'env.A', source: 'secret', name: 'other' },
      { place: 'env.B', source: 'env', name: 'NONE' },
    ]);
    const noStore = await failure({ name: 'x', command: '${secret:token}' }, { env: {} });
    expect(noStore.code).toBe('unresolved-reference');
  });

  it('asks for each secret once', async () => {
    const asked: string[] = [];
    const secret = (name: string) => {
      asked.push(name);
      return Promise.resolve('value');
    };
    await resolveReferences(
      { name: 'x', command: 'y', args: ['${secret:a}', '${secret:a}'], env: { A: '${secret:a}${secret:b}' } },
      { env: {}, secret },
    );
    expect(asked.sort()).toEqual(['a', 'b']);
  });

  it.each<[string, MCPServerConfig]>([
    ['headers.A', { name: 'x', endpoint: 'h', headers: { A: 'Bearer ${env:BAD}' } }],
    ['env.A', { name: 'x', command: 'y', env: { A: '${env:NUL}' } }],
    ['args[0]', { name: 'x', command: 'y', args: ['${env:NUL}'] }],
  ])('S15: refuses a value that %s cannot carry by its place, without repeating it', async (place, config) => {
    const error = await failure(config, { env: { BAD: 'geheim\nX: y', NUL: 'geheim\0' } });
    expect(error.code).toBe('bad-config');
    expect(error.message).toContain(place);
    expect(error.message).not.toContain('geheim');
  });
});
