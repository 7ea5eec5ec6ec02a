import { describe, expect, it } from 'vitest';
import { type ImageCommand, type ImageLimits, imageArgs } from './image-args.ts';
import { parseRun } from './parse-run.ts';
import { findRisks } from './run-risks.ts';
import type { OurFlags } from './shape-run.ts';

const ours: OurFlags = {
  name: 'mcp-x-1',
  cidfile: '/c',
  envFile: '/e',
  labels: { 'dev.longshore.home': 'h' },
  publish: [],
};
const command: ImageCommand = { image: 'mcp/time:latest', args: ['--tz', 'UTC'], envNames: ['TOKEN'] };

function flags(limits: ImageLimits = {}, more: Partial<OurFlags> = {}, user = '') {
  const run = parseRun('docker', imageArgs(command, limits, { user }, { ...ours, ...more }));
  if (run === undefined) throw new Error('not a docker run');
  expect(run).toMatchObject({ image: command.image, command: command.args });
  return run.flags;
}

const values = (name: string, ...args: Parameters<typeof flags>) =>
  flags(...args)
    .filter(flag => flag.name === name)
    .map(({ value }) => value);

describe('the command of an image that we run ourselves', () => {
  it('is hardened unless told otherwise', () => {
    expect(values('--cap-drop')).toEqual(['ALL']);
    expect(values('--security-opt')).toEqual(['no-new-privileges']);
    expect(values('--read-only')).toHaveLength(1);
    expect(values('--pids-limit')).toEqual(['512']);
    expect(values('--memory')).toEqual(['2g']);
    expect(values('--cpus')).toEqual(['1']);
    expect(values('--network')).toEqual(['bridge']);
    expect(values('--init')).toHaveLength(1);
    expect(values('--add-host')).toEqual(['host.docker.internal:host-gateway']);
    expect(values('--add-host', { network: 'none' })).toEqual([]);
    expect(values('--rm')).toEqual([]);
    expect(values('--log-opt')).toEqual(['max-size=1m', 'max-file=1']);
    const paths = { realPath: (path: string) => path, engineSockets: [], isSocket: () => false };
    const context = { platform: 'linux', cwd: '/', home: '/home', ...paths } as const;
    expect(findRisks(flags({}, { publish: [3000] }), context)).toEqual([]);
    // Swap would double it.
    expect(values('--memory-swap')).toEqual(['2g']);
    expect(values('--memory-swap', { memory: '512m' })).toEqual(['512m']);
  });

  it('follows the limits that are set', () => {
    const limits: ImageLimits = { network: 'none', memory: '512m', cpus: 0.5, pids: 64 };
    expect(['--network', '--memory', '--cpus', '--pids-limit'].flatMap(name => values(name, limits))).toEqual([
      'none',
      '512m',
      '0.5',
      '64',
    ]);
  });

  it('passes environment by name only', () => {
    expect(values('--env')).toEqual(['TOKEN']);
    expect(() => imageArgs({ ...command, envNames: ['A=b'] }, {}, { user: '' }, ours)).toThrow(/not the name/);
  });

  it('R61: publishes on loopback, with a number of the engine’s; never without a network', () => {
    expect(values('--publish', {}, { publish: [3000, 8080] })).toEqual(['127.0.0.1::3000', '127.0.0.1::8080']);
    expect(values('--publish', { network: 'none' }, { publish: [3000] })).toEqual([]);
  });

  it('mounts by fields, which no colon can confuse, and only absolute paths', () => {
    expect(values('--mount', { mounts: ['/srv/a:/a', '/srv/b,c:/b:ro', 'C:\\x:/x'] })).toEqual([
      'type=bind,source=/srv/a,target=/a',
      'type=bind,"source=/srv/b,c",target=/b,readonly',
      'type=bind,source=C:\\x,target=/x',
    ]);
    for (const mount of ['-v:/a', './a:/a', '/a', '/a:b', '/a:/b:rw:z']) {
      expect(() => flags({ mounts: [mount] })).toThrow(/is not of the form/);
    }
  });

  it('mounts volumes of the engine by their names', () => {
    expect(values('--mount', { mounts: ['uv-cache:/root/.cache', 'data:/a:ro'] })).toEqual([
      'type=volume,source=uv-cache,target=/root/.cache',
      'type=volume,source=data,target=/a,readonly',
    ]);
  });

  it('runs as the user that is set, who then may write the temporary folder', () => {
    expect(values('--user', { user: '1000:1000' })).toEqual(['1000:1000']);
    expect(values('--tmpfs', { user: '1000:1000' })).toEqual(['/tmp:rw,nosuid,nodev,size=256m,mode=1777,uid=1000']);
    for (const user of ['-u', 'a b', '1000:1000:1', '']) {
      expect(() => flags({ user })).toThrow(/is no user/);
    }
  });

  it('gives the temporary folder to the image’s own user', () => {
    expect(values('--tmpfs', {}, {}, '1000:1000')).toEqual(['/tmp:rw,nosuid,nodev,size=256m,mode=1777,uid=1000']);
    expect(values('--tmpfs', {}, {}, 'node')).toEqual(['/tmp:rw,nosuid,nodev,size=256m,mode=1777']);
  });
});
