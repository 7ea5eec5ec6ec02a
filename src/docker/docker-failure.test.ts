import { describe, expect, it } from 'vitest';
import { dockerFailure, saysNoSuchContainer, saysNoSuchImage, saysRemovalInProgress } from './docker-failure.ts';

const daemon = 'Error response from daemon: ';
const texts: readonly (readonly [code: string, stderr: string])[] = [
  [
    'docker-unavailable',
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  ],
  [
    'docker-unavailable',
    'error during connect: Get "http://h:1/v1.41/containers/json": dial tcp: lookup h: no such host',
  ],
  [
    'docker-unavailable',
    'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
  ],
  [
    'docker-unavailable',
    'Failed to initialize: unable to resolve docker endpoint: context "x": context not found: open meta.json',
  ],
  ['docker-unavailable', 'Cannot connect to Podman. Please verify your connection to the Linux system'],
  ['image-not-found', `docker: ${daemon}No such image: a/b:latest.\nSee 'docker run --help'.`],
  ['image-not-found', `${daemon}manifest for a/b:c not found: manifest unknown: manifest unknown`],
  ['image-not-found', `${daemon}pull access denied for a/b, repository does not exist or may require 'docker login'`],
  ['image-not-found', `${daemon}no matching manifest for linux/arm64/v8 in the manifest list entries`],
  [
    'image-not-found',
    `docker: ${daemon}image with reference a was found but does not match the specified platform: wanted linux/arm64`,
  ],
  ['failed-to-start', 'exec /usr/bin/x: exec format error'],
  ['unreachable', `${daemon}Get "https://registry/v2/": dial tcp: lookup registry on 1.1.1.1:53: no such host`],
  ['unreachable', `${daemon}Get "https://registry/v2/": net/http: TLS handshake timeout`],
  [
    'name-in-use',
    `docker: ${daemon}Conflict. The container name "/x" is already in use by container "${'a'.repeat(64)}".`,
  ],
  [
    'docker-failed',
    `docker: ${daemon}driver failed programming external connectivity: Bind for 127.0.0.1:80 failed: port is already allocated`,
  ],
  ['docker-failed', `docker: ${daemon}invalid mount config for type "bind": bind source path does not exist: /nope`],
  ['docker-failed', 'something new'],
];

describe('what a failed docker command means', () => {
  it.each(texts)('is %s for: %s', (code, stderr) => {
    expect(dockerFailure('Trying', { code: 1, stderr })).toMatchObject({ code });
  });

  it('is told in words of the engine without its prefixes, and says what to do next', () => {
    const { message } = dockerFailure('Pulling a/b', {
      code: 1,
      stderr: `x\ndocker: ${daemon}manifest unknown\n\nRun 'docker run --help' for more`,
    });
    expect(message).toBe('Pulling a/b failed: manifest unknown. There is no such image: check its name and tag.');
    expect(dockerFailure('Trying', { code: 7, stderr: '' }).message).toBe('Trying failed with code 7.');
  });

  it('R1: tells a container that is gone or just going from one that cannot be removed', () => {
    expect(saysNoSuchContainer(`${daemon}No such container: x`)).toBe(true);
    expect(saysNoSuchContainer('Error: no container with name or ID "x" found: no such container')).toBe(true);
    expect(saysRemovalInProgress(`${daemon}removal of container x is already in progress`)).toBe(true);
    expect(saysNoSuchContainer(`${daemon}driver "overlay2" failed to remove root filesystem`)).toBe(false);
    expect(saysNoSuchImage('Error: No such image: x')).toBe(true);
  });
});
