import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultDeadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import { readSettings, settingsTable } from './settings.ts';

type Env = Record<string, string>;

const read = (env: Env, platform: NodeJS.Platform = 'linux', homeDir = '/home/ann') =>
  readSettings({ env, platform, homeDir });
const settings = (env: Env) => read(env).settings;

function refusal(env: Env, platform: NodeJS.Platform = 'linux'): LongshoreError {
  try {
    read(env, platform);
  } catch (error) {
    if (error instanceof LongshoreError) return error;
    throw error;
  }
  throw new Error(`expected a refusal of ${JSON.stringify(env)}`);
}

describe('settings', () => {
  it('have a default for everything', () => {
    expect(read({})).toEqual({
      settings: {
        home: '/home/ann/.local/share/longshore',
        host: '127.0.0.1',
        port: 7411,
        log: 'info',
        idleTimeout: 900_000,
        patience: 50_000,
        resultLimit: 10_000_000,
        token: undefined,
        dockerHost: undefined,
        dockerCatalog: 'mcp/docker-mcp-catalog',
        deadlines: defaultDeadlines,
      },
      warnings: [],
    });
  });

  it('are taken from the environment', () => {
    expect(
      settings({
        LONGSHORE_HOME: '/srv/longshore',
        LONGSHORE_HOST: '::1',
        LONGSHORE_PORT: '0',
        LONGSHORE_LOG: 'debug',
        DOCKER_HOST: 'unix:///run/docker.sock',
        KESTREL_MCP_DOCKER_CATALOG: 'my/cat:1',
        LONGSHORE_CALL_IDLE_TIMEOUT: '2.5',
        LONGSHORE_IDLE_TIMEOUT: '60',
        LONGSHORE_APPROVAL_PATIENCE: '5',
        LONGSHORE_RESULT_LIMIT: '2000',
        LONGSHORE_TOKEN: 'lsc_x',
      }),
    ).toEqual({
      home: '/srv/longshore',
      host: '::1',
      port: 0,
      log: 'debug',
      idleTimeout: 60_000,
      patience: 5_000,
      resultLimit: 2_000,
      token: 'lsc_x',
      dockerHost: 'unix:///run/docker.sock',
      dockerCatalog: 'my/cat:1',
      deadlines: { ...defaultDeadlines, callIdle: 2_500 },
    });
  });

  it('R49: there is one variable for each deadline, and each changes its own', () => {
    const timeouts = settingsTable.map(setting => setting.name).filter(name => name.endsWith('_TIMEOUT'));
    // How long a server may be idle is no deadline of anything.
    const names = timeouts.filter(name => name !== 'LONGSHORE_IDLE_TIMEOUT');
    expect(names).toHaveLength(Object.keys(defaultDeadlines).length);
    const changed = names.map(name => {
      const { deadlines } = settings({ [name]: '7' });
      return Object.entries(deadlines).filter(
        ([key, value]) => value !== Object.entries(defaultDeadlines).find(([other]) => other === key)?.[1],
      );
    });
    expect(changed.map(entries => entries.map(([, value]) => value))).toEqual(names.map(() => [7_000]));
    expect(new Set(changed.flat().map(([key]) => key)).size).toBe(names.length);
  });

  it('R51: KESTREL_MCP_CLOSE_TIMEOUT takes any positive finite number of seconds', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1_999_999, noNaN: true }), value => {
        const { close } = settings({ KESTREL_MCP_CLOSE_TIMEOUT: String(value) }).deadlines;
        expect(Math.abs(close - value * 1000)).toBeLessThanOrEqual(0.5);
      }),
    );
    expect(settings({ KESTREL_MCP_CLOSE_TIMEOUT: '1e300' }).deadlines.close).toBe(2_000_000_000);
    expect(settings({ KESTREL_MCP_CLOSE_TIMEOUT: '0.0000001' }).deadlines.close).toBe(1);
  });

  it.each(['', ' ', '0', '-1', '-0', 'NaN', 'Infinity', '15s', '0x10', ' 15', '1,5', '1e400', '1e-400', '--1', '.'])(
    'R51: KESTREL_MCP_CLOSE_TIMEOUT=%j stops the start, naming it and what is allowed',
    value => {
      const error = refusal({ KESTREL_MCP_CLOSE_TIMEOUT: value });
      expect(error.code).toBe('bad-setting');
      expect(error.message).toContain(`KESTREL_MCP_CLOSE_TIMEOUT is ${JSON.stringify(value)}`);
      expect(error.message).toContain('seconds: a number above 0');
    },
  );

  it('R72: KESTREL_MCP_DOCKER_CATALOG has a default and takes a reference with a tag', () => {
    expect(settings({}).dockerCatalog).toBe('mcp/docker-mcp-catalog');
    expect(settings({ KESTREL_MCP_DOCKER_CATALOG: 'host:5000/my/cat:1' }).dockerCatalog).toBe('host:5000/my/cat:1');
  });

  it.each(['', ' x', 'x ', 'x\u00a0', '\ufeffx', 'a b', 'x@sha256:0123', '--pull'])(
    'R72: KESTREL_MCP_DOCKER_CATALOG=%j stops the start',
    value => {
      expect(refusal({ KESTREL_MCP_DOCKER_CATALOG: value }).message).toContain('KESTREL_MCP_DOCKER_CATALOG');
    },
  );

  it.each<[string, string]>([
    ['LONGSHORE_PORT', '65536'],
    ['LONGSHORE_PORT', '-1'],
    ['LONGSHORE_PORT', '80.5'],
    ['LONGSHORE_PORT', ''],
    ['LONGSHORE_HOST', 'http://localhost'],
    ['LONGSHORE_HOST', 'a b'],
    ['LONGSHORE_HOST', ''],
    ['LONGSHORE_HOME', 'relative/folder'],
    ['LONGSHORE_HOME', '~/longshore'],
    ['LONGSHORE_LOG', 'verbose'],
  ])('%s=%j stops the start', (name, value) => {
    const error = refusal({ [name]: value });
    expect(error.code).toBe('bad-setting');
    expect(error.row.exit).toBe(2);
    expect(error.message).toContain(settingsTable.find(setting => setting.name === name)?.allowed);
  });

  it('tell of every bad variable at once', () => {
    const error = refusal({ LONGSHORE_PORT: 'x', LONGSHORE_LOG: 'x' });
    expect(error.message).toContain('LONGSHORE_PORT');
    expect(error.message).toContain('LONGSHORE_LOG');
  });

  it('take an empty DOCKER_HOST for none, as the docker CLI does', () => {
    expect(settings({ DOCKER_HOST: '' }).dockerHost).toBeUndefined();
  });

  it('R85: names of ours that do not exist give one warning, and nothing else does', () => {
    const { warnings } = read({
      KESTREL_MCP_FOO: '1',
      LONGSHORE_PROT: '1',
      PATH: '/bin',
      KESTREL_OTHER: '',
      LONGSHORE_MARKER: 'x',
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.code).toBe('unknown-setting');
    expect(warnings[0]?.data).toEqual({ names: ['KESTREL_MCP_FOO', 'LONGSHORE_PROT'] });
  });

  it.each<[NodeJS.Platform, string, Env, string]>([
    ['linux', '/home/ann', { XDG_DATA_HOME: '/data' }, '/data/longshore'],
    ['linux', '/home/ann', { XDG_DATA_HOME: 'relative' }, '/home/ann/.local/share/longshore'],
    ['darwin', '/Users/ann', { XDG_DATA_HOME: '/data' }, '/Users/ann/Library/Application Support/Longshore'],
    ['win32', 'C:\\Users\\ann', { LOCALAPPDATA: 'D:\\Local' }, 'D:\\Local\\Longshore'],
    ['win32', 'C:\\Users\\ann', {}, 'C:\\Users\\ann\\AppData\\Local\\Longshore'],
    ['win32', 'C:\\Users\\ann', { LONGSHORE_HOME: 'E:\\ls' }, 'E:\\ls'],
  ])("the home on %s is the platform's data folder", (platform, homeDir, env, home) => {
    expect(read(env, platform, homeDir).settings.home).toBe(home);
  });

  it('R85: docs/configuration.md lists every variable with its default, what is allowed and its meaning', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
    const rows = page.split('\n').filter(line => /^\| `(LONGSHORE|KESTREL_MCP|DOCKER)_/.test(line));
    expect(rows).toEqual(
      settingsTable.map(
        ({ name, byDefault, allowed, meaning }) => `| \`${name}\` | ${byDefault} | ${allowed} | ${meaning} |`,
      ),
    );
  });
});
