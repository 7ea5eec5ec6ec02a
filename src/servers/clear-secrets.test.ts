import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfigBody } from '../config/parse-config-body.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { LongshoreError } from '../core/errors.ts';
import { clearSecrets, withInlineVariablesInEnv, withSecretNames } from './clear-secrets.ts';

const key = 'sk-canary-7f3a91d2c4b8';

function found(part: Partial<MCPServerConfig>, allowArguments = false): Record<string, string> {
  const secrets = clearSecrets({ name: 'x', ...part }, { allowArguments });
  return Object.fromEntries(secrets.map(({ place, value }) => [place, value]));
}

function refusal(part: Partial<MCPServerConfig>): LongshoreError {
  try {
    clearSecrets({ name: 'x', ...part }, { allowArguments: false });
  } catch (error) {
    if (error instanceof LongshoreError) return error;
    throw error;
  }
  throw new Error(`expected a refusal of ${JSON.stringify(part)}`);
}

describe('secrets in clear', () => {
  it('are values of secret names and whatever could tell something, not words, numbers, paths and references', () => {
    expect(
      found({
        env: {
          TOKEN: 'abc',
          PIN: '12',
          DATABASE_URL: `postgres://u:${key}@db/x`,
          LEVEL: 'debug',
          PORT: '8080',
          ROOT: '/srv/files',
          API_KEY: '${secret:mine}',
          OTHER: '${env:OTHER}',
          AUTH: 'false',
          EMPTY: '',
        },
        headers: { Authorization: `Bearer ${key}`, Accept: 'json' },
      }),
    ).toEqual({
      'env.TOKEN': 'abc',
      'env.PIN': '12',
      'env.DATABASE_URL': `postgres://u:${key}@db/x`,
      'headers.Authorization': `Bearer ${key}`,
    });
  });

  it('are found in the parameters and the path of an address, which stays readable otherwise', () => {
    const endpoint = `https://h.example/v1/${key}/mcp?api_key=abc%2Fdef&page=2&empty=#top`;
    const config = { name: 'x', endpoint };
    const secrets = clearSecrets(config, { allowArguments: false });
    expect(secrets.map(({ place, value }) => [place, value])).toEqual([
      ['endpoint', key],
      ['endpoint.api_key', 'abc%2Fdef'],
    ]);
    const names = new Map([
      [key, 'x.path'],
      ['abc%2Fdef', 'x.api_key'],
    ]);
    expect(withSecretNames(config, names).endpoint).toBe(
      'https://h.example/v1/${secret:x.path}/mcp?api_key=${secret:x.api_key}&page=2&empty=#top',
    );
    expect(found({ endpoint: 'https://h.example/${secret:x}/mcp?token=${env:T}' })).toEqual({});
  });

  it.each<[string, Partial<MCPServerConfig>, string]>([
    ['behind a flag', { command: 'x', args: ['--token', key] }, 'args[1]'],
    ['behind a flag, a word', { command: 'x', args: ['-y', 'p', '--password', 'hunter'] }, 'args[3]'],
    ['assigned', { command: 'x', args: ['--api-key=hunter2'] }, 'args[0]'],
    ['by its looks', { command: 'x', args: ['run', key] }, 'args[1]'],
    ['in an address', { command: 'x', args: ['postgres://u:hunter2@db/x'] }, 'args[0]'],
    ['in a header', { command: 'npx', args: ['mcp-remote', '--header', `Authorization: Bearer ${key}`] }, 'args[2]'],
    ['as a reference, which ends in the command line too', { command: 'x', args: ['${secret:mine}'] }, 'args[0]'],
    ['in the command', { command: `/bin/${key}` }, 'command'],
    ['beside a reference', { env: { URL: `\${env:HOST}/${key}` } }, 'env.URL'],
    ['as a default', { env: { TOKEN: '${env:TOKEN:-hunter2}' } }, 'env.TOKEN'],
  ])('are refused %s, naming the place and no value', (_, part, path) => {
    const error = refusal(part);
    expect(error.code).toBe('bad-config');
    expect(error.data).toEqual({ problems: [{ path, message: expect.stringContaining(path) }] });
    expect(JSON.stringify([error.message, error.data])).not.toMatch(/hunter|canary/);
  });

  it.each<[string, Partial<MCPServerConfig>]>([
    ['a path behind a flag', { command: 'x', args: ['--key-file', '/etc/key.pem', '--token-file=./token'] }],
    ['packages and switches', { command: 'npx', args: ['-y', '@org/server-token@1.2.3', '--no-auth', '--port', '80'] }],
    ['a variable passed on', { command: 'docker', args: ['run', '-i', '-e', 'GITHUB_TOKEN', 'ghcr.io/x/y'] }],
    ['a variable of another program', { command: 'x', args: ['--header', 'Authorization:${AUTH}'] }],
    ['a reference to a variable', { command: 'x', args: ['--token', '${env:TOKEN}'] }],
    ['an address with a stored password', { env: { DATABASE_URL: 'postgres://u:${secret:pw}@db/x' } }],
    ['a scheme before a stored token', { headers: { Authorization: 'Bearer ${secret:t}' } }],
    ['a placeholder of another client', { env: { TOKEN: '${input:token}' } }],
    ['no secret as a default', { env: { HOST: '${env:HOST:-localhost}', API_KEY: '${env:API_KEY:-none}' } }],
  ])('are not seen in %s', (_, part) => {
    expect(found(part)).toEqual({});
  });

  it('in a command line are moved like all others where that was allowed on purpose', () => {
    const config = { name: 'x', command: 'x', args: ['--token=abcdef', '--password', 'hunter', '${secret:mine}'] };
    const secrets = clearSecrets(config, { allowArguments: true });
    expect(secrets.map(({ variable, value }) => [variable, value])).toEqual([
      ['token', 'abcdef'],
      ['password', 'hunter'],
    ]);
    const named = withSecretNames(config, new Map(secrets.map(({ variable, value }) => [value, `x.${variable}`])));
    expect(named.args).toEqual(['--token=${secret:x.token}', '--password', '${secret:x.password}', '${secret:mine}']);
  });

  it('inside the arguments of docker run become variables that are only named there', () => {
    const config = {
      name: 'x',
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', `TOKEN=${key}`, '--env=LEVEL=debug', 'img', '-e', 'TOKEN=inside'],
      env: { HOME_DIR: '/x' },
    };
    expect(withInlineVariablesInEnv(config)).toEqual({
      name: 'x',
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', 'TOKEN', '--env', 'LEVEL=debug', 'img', '-e', 'TOKEN=inside'],
      env: { HOME_DIR: '/x', TOKEN: key },
    });
    const plain = { name: 'x', command: 'docker', args: ['run', '-it', '-e', 'TOKEN', 'img'] };
    expect(withInlineVariablesInEnv(plain)).toBe(plain);
  });

  it('S15: once every secret has a name, no value is left, and what is left is a valid config that means the same', () => {
    const text = fc.string({ minLength: 1, maxLength: 20 });
    const name = fc.constantFrom('TOKEN', 'API_KEY', 'LEVEL', 'X', 'PASSWORD');
    const config = fc.record({
      name: fc.constant('x'),
      command: fc.constant('x'),
      env: fc.dictionary(name, fc.oneof(text, fc.constant(key))),
      headers: fc.dictionary(name, fc.oneof(fc.constantFrom('a', 'Bearer abcdefgh'), fc.constant(key))),
    });
    fc.assert(
      fc.property(config, one => {
        const secrets = clearSecrets(one, { allowArguments: false });
        const named = withSecretNames(one, new Map(secrets.map(({ value }, index) => [value, `s.${index}`])));
        expect(clearSecrets(named, { allowArguments: false })).toEqual([]);
        expect(JSON.stringify(named)).not.toContain(key);
        expect('config' in parseConfigBody(named)).toBe('config' in parseConfigBody(one));
        const values = new Map(secrets.map(({ value }, index) => [`\${secret:s.${index}}`, value]));
        for (const field of ['env', 'headers'] as const) {
          const back = Object.entries(named[field] ?? {}).map(([at, value]) => [at, values.get(value) ?? value]);
          expect(back).toEqual(Object.entries(one[field]));
        }
      }),
    );
  });
});
