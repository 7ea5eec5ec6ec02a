import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideSecrets, serverEnvironment, variable } from './environment.ts';

describe('R17: serverEnvironment', () => {
  it('passes only the allow-listed part of our own environment on', () => {
    const ours = {
      PATH: '/bin',
      HOME: '/home/x',
      LC_TIME: 'de_DE.UTF-8',
      http_proxy: 'http://proxy:1',
      HTTPS_PROXY: 'http://proxy:2',
      DOCKER_HOST: 'unix:///d.sock',
      NVM_DIR: '/home/x/.nvm',
      OPENAI_API_KEY: 'secret',
      NODE_OPTIONS: '--require ./evil.js',
      LD_PRELOAD: '/evil.so',
      PYTHONSTARTUP: '/evil.py',
      DOCKER_AUTH_CONFIG: 'secret',
      DOCKER_PASSWORD: 'secret',
      LONGSHORE_MARKER: 'of an outer Longshore',
      path: 'not the PATH',
      UNSET: undefined,
    };
    expect(Object.keys(serverEnvironment(ours, 'linux')).sort()).toEqual(
      ['DOCKER_HOST', 'HOME', 'HTTPS_PROXY', 'LC_TIME', 'NVM_DIR', 'PATH', 'http_proxy'].sort(),
    );
  });

  it('lets nothing else through, whatever it is called', () => {
    const harmless = /^(?:LC_|DOCKER_)/;
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), name => {
        const env = serverEnvironment({ [`X${name}`]: 'v' }, 'linux');
        expect(Object.keys(env).filter(key => !harmless.test(key) && !key.startsWith('XDG_'))).toEqual([]);
      }),
    );
  });

  it('lets the configured variables win, and later layers over earlier ones', () => {
    expect(serverEnvironment({ HOME: '/a' }, 'linux', { HOME: '/b', NODE_OPTIONS: '-x' }, { HOME: '/c' })).toEqual({
      HOME: '/c',
      NODE_OPTIONS: '-x',
    });
  });

  it('docker-problems 21: keeps what Windows programs need, whatever its case, and replaces without regard to case', () => {
    const ours = {
      Path: 'C:\\Windows',
      ProgramData: 'C:\\ProgramData',
      LOCALAPPDATA: 'C:\\l',
      APPDATA: 'C:\\a',
      ProgramFiles: 'C:\\p',
      'ProgramFiles(x86)': 'C:\\p86',
      SystemRoot: 'C:\\Windows',
      USERPROFILE: 'C:\\u',
      PATHEXT: '.EXE',
      ComSpec: 'C:\\cmd.exe',
      Secret: 'no',
    };
    const env = serverEnvironment(ours, 'win32', { PATH: 'C:\\mine' });
    expect(Object.keys(env).sort()).toEqual(
      [...Object.keys(ours).filter(name => name !== 'Secret' && name !== 'Path'), 'PATH'].sort(),
    );
    expect(env['PATH']).toBe('C:\\mine');
    expect(variable(ours, 'PATH', 'win32')).toBe('C:\\Windows');
    expect(variable(ours, 'PATH', 'linux')).toBeUndefined();
  });
});

describe('hideSecrets', () => {
  it.each([
    ['API_KEY', 'short1', 'short1'],
    ['GH_PAT', 'ghp_16C7e42F292c6912E7', 'ghp_16C7e42F292c6912E7'],
    ['DATABASE_URL', 'postgres://me:hunter22@db/x', 'hunter22'],
    ['PASSPHRASE', 'correct horse battery', 'correct horse battery'],
  ])('hides %s=%s', (name, value, secret) => {
    expect(hideSecrets({ [name]: value })(`using ${value}!`)).not.toContain(secret);
  });

  it.each([
    ['LOG_LEVEL', 'debug'],
    ['ROOT', '/home/someone/projects/app1'],
    ['BASE_URL', 'https://example.com/api/v1'],
    ['PORT', '8080'],
    ['TOKEN', ''],
    ['KEY', '1'],
  ])('leaves %s=%s readable', (name, value) => {
    expect(hideSecrets({ [name]: value })(`using ${value}!`)).toBe(`using ${value}!`);
  });

  it('hides the longer of two overlapping secrets whole', () => {
    expect(hideSecrets({ A_KEY: 'abcd', B_KEY: 'abcdefgh' })('abcdefgh abcd')).toBe('[masked] [masked]');
  });
});
