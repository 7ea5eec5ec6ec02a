import { posix, win32 } from 'node:path';
import { LongshoreError } from '../core/errors.ts';
import { flagRisk } from './flag-risk.ts';
import { type HostPath, hostPaths } from './mounts.ts';
import type { RunFlag } from './parse-run.ts';

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
  /** Where an engine listens, links followed: the well-known places and the one that the command would speak to. */
  readonly engineSockets: readonly string[];
  /** True for a socket, by what it is and not by its name; the path is as `realPath` gives it. */
  readonly isSocket: (path: string) => boolean;
}

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
  const isEngine = context.engineSockets.some(socket => within(socket, real));
  if (isEngine || /(docker|podman|containerd)[^/]*\.sock$|[\\/]pipe[\\/](docker|podman)/i.test(real)) {
    return 'controls the Docker engine, and with it this machine';
  }
  if (context.isSocket(real)) return 'speaks to what listens on a socket of this machine, as you';
  return context.platform !== 'win32' && ['/proc', '/sys', '/dev'].some(folder => within(real, folder))
    ? 'gets at the kernel of this machine'
    : undefined;
}
