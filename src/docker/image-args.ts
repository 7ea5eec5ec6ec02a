import { LongshoreError } from '../core/errors.ts';
import type { ImageFacts } from './images.ts';
import { bindMount } from './mounts.ts';
import type { OurFlags } from './shape-run.ts';
import { steersCli } from './steers-cli.ts';

/** How a container of ours is limited, and what of the machine it may see; what is absent has a default. */
export interface ImageLimits {
  /** `bridge` reaches the internet; `none` is for images that speak stdio. */
  readonly network?: 'bridge' | 'none' | undefined;
  /** `source:target` or `source:target:ro`, absolute; a source without a slash is a named volume. */
  readonly mounts?: readonly string[] | undefined;
  /** `uid`, `uid:gid` or a name that the image knows, instead of the image's own. */
  readonly user?: string | undefined;
  /** Docker's notation, `512m`. */
  readonly memory?: string | undefined;
  readonly cpus?: number | undefined;
  readonly pids?: number | undefined;
}

/** The limits of an image that says nothing about them. */
export const defaultLimits = { network: 'bridge', memory: '2g', cpus: 1, pids: 512 } as const;

/** What is run, beside its limits. */
export interface ImageCommand {
  readonly image: string;
  /** Behind the image. */
  readonly args: readonly string[];
  /** Names of environment variables; their values are the CLI's own. */
  readonly envNames: readonly string[];
}

/**
 * The arguments that run an image of ours, hardened: no capabilities, no way to get
 * any, a read-only root with a `/tmp`, limits on processes, memory and processors. Without `--rm`: a start that failed
 * is there to be looked at. Throws `bad-config` for a mount or a name that cannot be meant.
 */
export function imageArgs(
  command: ImageCommand,
  limits: ImageLimits,
  { user }: Pick<ImageFacts, 'user'>,
  ours: OurFlags,
): readonly string[] {
  const named = command.envNames.map(environmentName);
  const flags: readonly (readonly [string, string?])[] = [
    ['-i'],
    ['--init'],
    ['--pull', 'never'],
    ['--name', ours.name],
    ['--cidfile', ours.cidfile],
    ...Object.entries(ours.labels).map(([key, value]) => ['--label', `${key}=${value}`] as const),
    ['--log-driver', 'json-file'],
    ['--log-opt', 'max-size=1m'],
    ['--log-opt', 'max-file=1'],
    ['--cap-drop', 'ALL'],
    ['--security-opt', 'no-new-privileges'],
    ['--read-only'],
    ...(limits.user === undefined ? [] : [['--user', userOf(limits.user)] as const]),
    ['--tmpfs', `/tmp:${temporary(limits.user ?? user)}`],
    ['--pids-limit', String(limits.pids ?? defaultLimits.pids)],
    ['--memory', limits.memory ?? defaultLimits.memory],
    // Without it the engine gives as much swap again.
    ['--memory-swap', limits.memory ?? defaultLimits.memory],
    ['--cpus', String(limits.cpus ?? defaultLimits.cpus)],
    ['--network', limits.network ?? defaultLimits.network],
    // On Linux nothing else makes this machine reachable by a name.
    ...(limits.network === 'none' ? [] : [['--add-host', 'host.docker.internal:host-gateway'] as const]),
    ...(limits.mounts ?? []).map(mount => ['--mount', mountOf(mount)] as const),
    ...named.filter(name => !steersCli(name)).map(name => ['-e', name] as const),
    ...(named.some(steersCli) ? [['--env-file', ours.envFile] as const] : []),
    ...(limits.network === 'none' ? [] : ours.publish.map(port => ['-p', `127.0.0.1::${port}`] as const)),
  ];
  return ['run', ...flags.flat().filter(word => word !== undefined), command.image, ...command.args];
}

/** Where the image has no `/tmp`, the engine makes one that only root may write, so it is given to the image's user. */
function temporary(user: string): string {
  const uid = /^\d+/.exec(user)?.[0];
  return ['rw', 'nosuid', 'nodev', 'size=256m', 'mode=1777', ...(uid === undefined ? [] : [`uid=${uid}`])].join(',');
}

function mountOf(mount: string): string {
  const [, source = '', target = '', mode] = /^((?:[A-Za-z]:)?[^:]+):(\/[^:]*)(?::(ro|rw))?$/.exec(mount) ?? [];
  if (isVolumeName(source))
    return ['type=volume', `source=${source}`, `target=${target}`, ...(mode === 'ro' ? ['readonly'] : [])].join(',');
  if (!/^(\/|[A-Za-z]:[\\/])/.test(source)) {
    throw new LongshoreError(
      'bad-config',
      `The mount ${JSON.stringify(mount)} is not of the form /on/this/machine:/in/the/container, or the same with :ro.`,
    );
  }
  return bindMount(source, target, mode === 'ro');
}

/** True for what names a volume of the engine and no folder of this machine. */
export function isVolumeName(source: string): boolean {
  return /^[A-Za-z0-9][\w.-]+$/.test(source);
}

function userOf(user: string): string {
  if (/^[\w][\w.-]*(:[\w][\w.-]*)?$/.test(user)) return user;
  throw new LongshoreError(
    'bad-config',
    `${JSON.stringify(user)} is no user of a container, such as 1000 or 1000:1000.`,
  );
}

function environmentName(name: string): string {
  if (!/^[A-Za-z_][\w.-]*$/.test(name)) {
    throw new LongshoreError('bad-config', `${JSON.stringify(name)} is not the name of an environment variable.`);
  }
  return name;
}
