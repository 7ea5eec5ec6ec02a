import { describe, expect, it } from 'vitest';
import { imageArgs } from './image-args.ts';
import { parted, steersCli } from './steers-cli.ts';

const steering = [
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'CONTAINER_HOST',
  'PATH',
  'HOME',
  'https_proxy',
  'SSH_AUTH_SOCK',
  'LD_PRELOAD',
  'GODEBUG',
];

describe('D6: the env of an image server', () => {
  it.each(steering)('never puts %s into the environment of our own docker command, and passes it on', name => {
    const { forFile, forCli } = parted({ [name]: 'tcp://other', API_KEY: 'k' });
    expect(forCli).toEqual({ API_KEY: 'k' });
    expect(forFile).toBe(`${name}=tcp://other\n`);
    const ours = { name: 'n', cidfile: '/c', envFile: '/e', labels: {}, publish: [] };
    const args = imageArgs({ image: 'i:1', args: [], envNames: [name, 'API_KEY'] }, {}, { user: '' }, ours);
    expect(args.join(' ')).toContain('-e API_KEY --env-file /e');
    expect(args).not.toContain(name);
  });

  it.each(['API_KEY', 'GITHUB_TOKEN', 'PGHOST', 'MY_PATH', 'HOMEPAGE'])('passes %s by name', name => {
    expect(steersCli(name)).toBe(false);
  });

  it('has no second line through which another variable could be set', () => {
    expect(() => parted({ DOCKER_HOST: 'a\nB=c' })).toThrow(expect.objectContaining({ code: 'bad-config' }));
    expect(parted({ TEXT: 'a\nB=c' })).toEqual({ forFile: '', forCli: { TEXT: 'a\nB=c' } });
  });
});
