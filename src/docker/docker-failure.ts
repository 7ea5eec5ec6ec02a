import { type ErrorCode, LongshoreError } from '../core/errors.ts';
import type { CliResult } from './docker-cli.ts';

/**
 * The one place that reads the CLI's prose: it gives nothing better than an exit code for why a command failed.
 * First match wins; the texts are those of docker 20 to 29 and podman 4 and 5.
 */
const kinds: readonly { readonly code: ErrorCode; readonly text: RegExp; readonly advice: string }[] = [
  {
    code: 'docker-unavailable',
    text: /permission denied while trying to connect|dial unix \S+: connect: permission denied/i,
    advice: 'This user may not talk to the Docker engine: add it to the group "docker", or use rootless Docker.',
  },
  {
    code: 'docker-unavailable',
    text: /cannot connect to the docker daemon|error during connect|is the docker daemon running|(cannot|unable to) connect to (the )?podman/i,
    advice: 'Start Docker (or set DOCKER_HOST) and try again.',
  },
  {
    code: 'docker-unavailable',
    text: /context "[^"]*"(: context)? not found|unable to resolve docker endpoint|unable to parse docker host/i,
    advice: 'The Docker endpoint is misconfigured: look at DOCKER_HOST, DOCKER_CONTEXT and `docker context ls`.',
  },
  {
    code: 'image-not-found',
    text: /no matching manifest for|does not match the specified platform|no image found in .* for architecture/i,
    advice: 'The image has no build for this platform. `--platform linux/amd64` may run it under emulation.',
  },
  {
    code: 'failed-to-start',
    text: /exec format error/i,
    advice: 'The image was built for another processor. `--platform` may choose a build that fits.',
  },
  {
    code: 'image-not-found',
    text: /pull access denied|unauthorized|authentication required|requested access to the resource is denied/i,
    advice: 'There is no such image, or it is private: check the name, or sign in with `docker login`.',
  },
  {
    code: 'image-not-found',
    text: /no such image|manifest (for \S+ not found|unknown)|repository does not exist|image not known|name unknown|unable to find image/i,
    advice: 'There is no such image: check its name and tag.',
  },
  {
    code: 'unreachable',
    text: /dial tcp|tls handshake timeout|i\/o timeout|connection refused|request canceled while waiting|server gave http response|unexpected eof/i,
    advice: 'The image registry cannot be reached. Check the network, or the registry in the image name.',
  },
  {
    code: 'name-in-use',
    text: /container name "?[^"]*"? is already in use/i,
    advice: 'A container with that name exists and is not ours, so it was left alone. Remove or rename it.',
  },
  {
    code: 'docker-failed',
    text: /port is already allocated|address already in use/i,
    advice: 'The port is taken on this machine. Leave the host port out and the engine picks a free one.',
  },
  {
    code: 'docker-failed',
    text: /bind source path does not exist|no such file or directory: .*mount/i,
    advice: 'A folder to be mounted does not exist on this machine.',
  },
];

/** Turns a command that failed into an error: what was tried, what the engine said, what to do next. */
export function dockerFailure(what: string, result: Pick<CliResult, 'code' | 'stderr'>): LongshoreError {
  const said = lastWords(result.stderr);
  const kind = kinds.find(({ text }) => text.test(result.stderr));
  const outcome = `${what} failed${said === '' ? ` with code ${result.code}` : `: ${said.replace(/[.?!]$/, '')}`}.`;
  const message = kind ? `${outcome} ${kind.advice}` : outcome;
  return new LongshoreError(kind?.code ?? 'docker-failed', message, { data: { exitCode: result.code } });
}

/** True where the engine says that it has no such container: for a removal that is success (R1). */
export function saysNoSuchContainer(stderr: string): boolean {
  return /no such (container|object)|no container with name or id/i.test(stderr);
}

/** True where someone else (`--rm`, a second removal) is just removing it (R1). */
export function saysRemovalInProgress(stderr: string): boolean {
  return /removal of container \S+ is already in progress/i.test(stderr);
}

/** True where the engine has no such image locally. */
export function saysNoSuchImage(stderr: string): boolean {
  return /no such (image|object)|image not known/i.test(stderr);
}

/** The last line that says something, without the CLI's prefixes and hints, at most 500 characters. */
function lastWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !/^(See '|Run '|time=)/.test(line));
  const words = (lines.at(-1) ?? '').replace(/^(docker: |Error: )?(Error response from daemon: )?/, '');
  return words.replace(/ Is the docker daemon running\?$/, '').slice(0, 500);
}
