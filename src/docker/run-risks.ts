import { posix, win32 } from 'node:path';
import { LongshoreError } from '../core/errors.ts';
import { type HostPath, hostPaths } from './mounts.ts';
import { isOn, type RunFlag } from './parse-run.ts';
import { isLoopback, onLoopback, parsePublish } from './publish.ts';

/** A flag that weakens a container's isolation, shown with the server ever after. */
export interface Risk {
  /** As the user wrote it. */
  readonly flag: string;
  /** What it lets the server do, to be read after "it": "can do everything root can". */
  readonly why: string;
}

/** What telling a risk needs to know of this machine. */
export interface RiskContext {
  readonly platform: NodeJS.Platform;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  /** Longshore's home: whoever reads it holds the operator's token. Absent where there is none. */
  readonly home: string | undefined;
  /** Where a path really leads, links followed; a path that does not exist leads to itself. */
  readonly realPath: (path: string) => string;
}

const engineSockets = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/podman/podman.sock',
  '/var/run/podman/podman.sock',
  '/run/containerd/containerd.sock',
  '/var/run/containerd/containerd.sock',
];

/** Capabilities with which a container can get at the machine, its other processes or its network. */
const strongCapabilities = new Set(
  [
    'ALL AUDIT_CONTROL BPF CHECKPOINT_RESTORE DAC_READ_SEARCH LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE NET_ADMIN PERFMON',
    'SYS_ADMIN SYS_BOOT SYS_MODULE SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME SYSLOG',
  ].flatMap(row => row.split(' ')),
);

/** Everything in a run's flags that weakens isolation, in the order of the flags. */
export function findRisks(flags: readonly RunFlag[], context: RiskContext): readonly Risk[] {
  const paths = hostPaths(flags);
  return flags.flatMap(flag => {
    const found = [
      flagRisk(flag),
      ...paths.filter(path => path.flag === flag).map(path => pathRisk(path, context)),
    ].filter(why => why !== undefined);
    return found.map(why => ({ flag: written(flag), why }));
  });
}

/** Lets only the person's own decision run what weakens isolation. Throws `unsafe-refused` naming the first flag. */
export function refuseRisks(risks: readonly Risk[]): void {
  const [first, ...more] = risks;
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and ${more.map(({ flag }) => flag).join(', ')})`;
  throw new LongshoreError(
    'unsafe-refused',
    `${first.flag}${others} weakens the isolation of this server: it ${first.why}. Remove the flag, or accept the risk with --allow-unsafe.`,
    { data: { flags: risks.map(({ flag }) => flag) } },
  );
}

function written({ spelled, value }: RunFlag): string {
  if (value === undefined) return spelled;
  return spelled.startsWith('--') ? `${spelled}=${value}` : `${spelled} ${value}`;
}

function flagRisk(flag: RunFlag): string | undefined {
  const value = flag.value ?? '';
  switch (flag.name) {
    case '--privileged':
      return isOn(flag) ? 'can do everything root can do on this machine' : undefined;
    case '--network':
      return sharesHost(value) ? 'uses the network of this machine, its loopback services included' : undefined;
    case '--pid':
      return sharesHost(value) ? 'sees and can signal the processes of this machine' : undefined;
    case '--ipc':
      return sharesHost(value) ? 'shares memory with the processes of this machine' : undefined;
    case '--uts':
      return sharesHost(value) ? 'can rename this machine' : undefined;
    case '--userns':
      return sharesHost(value) ? 'is root on this machine where it is root inside' : undefined;
    case '--cgroupns':
      return sharesHost(value) ? 'sees the control groups of this machine' : undefined;
    case '--cap-add':
      return strongCapabilities.has(value.toUpperCase().replace(/^CAP_/, ''))
        ? `gets the capability ${value.toUpperCase()}`
        : undefined;
    case '--security-opt':
      return loosens(value) ? 'loses a protection that containers have by default' : undefined;
    case '--device':
    case '--device-cgroup-rule':
      return 'gets at a device of this machine';
    case '--use-api-socket':
      return isOn(flag) ? 'controls the Docker engine, and with it this machine' : undefined;
    case '--volumes-from':
      return 'gets every folder that another container has';
    case '--publish-all':
      return isOn(flag) ? 'offers every port of the image to the network' : undefined;
    case '--publish':
      return isLoopback(onLoopback(parsePublish(value))) ? undefined : 'can be reached from other machines';
    default:
      return undefined;
  }
}

/** `host`, and docker's long form `name=host,alias=…`. */
function sharesHost(value: string): boolean {
  return value
    .toLowerCase()
    .split(',')
    .some(field => field.trim().replace(/^name=/, '') === 'host');
}

function loosens(value: string): boolean {
  const option = value.toLowerCase().replaceAll(' ', '');
  return (
    option.endsWith('unconfined') ||
    /^label[=:]disable/.test(option) ||
    /^no-new-privileges[=:](false|0|f)$/.test(option)
  );
}

function pathRisk({ source }: HostPath, context: RiskContext): string | undefined {
  const paths = context.platform === 'win32' ? win32 : posix;
  const real = context.realPath(paths.resolve(context.cwd, source));
  const within = (inner: string, outer: string) => {
    const way = paths.relative(outer, inner);
    return way === '' || (!way.startsWith('..') && !paths.isAbsolute(way));
  };
  const home = context.home === undefined ? undefined : context.realPath(context.home);
  if (home !== undefined && (within(home, real) || within(real, home)))
    return "reads Longshore's home folder, and can act as you with what is in it";
  if (engineSockets.some(socket => within(socket, real)) || /(docker|podman|containerd)[^/]*\.sock$/.test(real)) {
    return 'controls the Docker engine, and with it this machine';
  }
  return context.platform !== 'win32' && ['/proc', '/sys', '/dev'].some(folder => within(real, folder))
    ? 'gets at the kernel of this machine'
    : undefined;
}
