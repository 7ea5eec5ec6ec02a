import { type ChildProcess, execFile } from 'node:child_process';
import type { Clock } from '../core/clock.ts';
import { groupMembers, killMarked, type MarkerMatch, markedProcesses } from './marked-processes.ts';

/** A process that we started as the leader of a group of its own, with all that came out of it. */
export interface ProcessTree {
  /** What is alive of its group and proven to be ours; process ids. */
  members(): Promise<readonly number[]>;
  /** Signals the whole group, if anything of it is ours. On Windows there is nothing polite to send. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Ends the group at once and everything else that carries the marker; gives back what could not be ended. */
  kill(): Promise<readonly number[]>;
}

/** What a tree is told about. */
export interface ProcessTreeSetup {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly match: MarkerMatch;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  /** Seconds since the machine's start. */
  readonly uptime: () => number;
}

const rounds = 40;
const pause = 25;
/** Seconds by which two readings of the machine's clock may differ. */
const clockStep = 0.03;

/** Must be called in the same tick as the spawn. */
export function processTree(setup: ProcessTreeSetup): ProcessTree {
  const { child, pid, match, platform, clock, uptime } = setup;
  let reapedAt: number | undefined;
  child.once('exit', () => {
    reapedAt = uptime();
  });

  // Once its leader is reaped, the number of a group may be another's. It is still ours if a member carries our marker,
  // or was there before the leader was reaped: until then nobody else could have that number.
  async function members(): Promise<readonly number[]> {
    const alive = await groupMembers(pid, platform);
    const before = reapedAt;
    const pids = alive.map(one => one.pid);
    if (before === undefined || pids.length === 0) return pids;
    if (alive.some(one => one.startedAt !== undefined && one.startedAt <= before + clockStep)) return pids;
    const marked = await markedProcesses(match, platform);
    return pids.some(one => marked.includes(one)) ? pids : [];
  }

  async function signal(name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (reapedAt === undefined || (await members()).length > 0) trySignal(-pid, name);
  }

  async function allGone(): Promise<readonly number[]> {
    let left = await members();
    for (let round = 0; round < rounds && (left.length > 0 || reapedAt === undefined); round++) {
      await clock.sleep(pause);
      left = await members();
    }
    return reapedAt === undefined ? [...new Set([pid, ...left])] : left;
  }

  if (platform === 'win32') return windowsTree(setup, () => reapedAt !== undefined);
  return {
    members,
    signal,
    async kill() {
      await signal('SIGKILL');
      const marked = await killMarked(match, { platform, rounds });
      return [...new Set([...marked, ...(await allGone())])];
    },
  };
}

function trySignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone in between, or of another user: whoever asked looks again
  }
}

/** Windows has no groups; `taskkill /T` follows parents to their children while the parent lives. */
function windowsTree({ pid, clock }: ProcessTreeSetup, isReaped: () => boolean): ProcessTree {
  const members = (): readonly number[] => (isReaped() ? [] : [pid]);
  return {
    members: () => Promise.resolve(members()),
    signal: () => Promise.resolve(),
    async kill() {
      if (isReaped()) return [];
      await new Promise<void>(resolve => {
        execFile('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve());
      });
      for (let round = 0; round < rounds && !isReaped(); round++) await clock.sleep(pause);
      return members();
    },
  };
}
