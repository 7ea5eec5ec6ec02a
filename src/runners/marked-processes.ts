import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';

// The watchdog runs this file too, with nothing but Node around it: it may import nothing of ours.

/** The environment variable that says whose a process is; children inherit it. */
export const markerVariable = 'LONGSHORE_MARKER';

/** Whose processes are meant: one start's, or without `marker` all of one run of a host. */
export interface MarkerMatch {
  /** 128 random bits in hex: nobody else has this text. */
  readonly instance: string;
  readonly marker?: string;
}

/** The value of the marker variable of one start. */
export function markerText(instance: string, marker: string): string {
  return `${instance}.${marker}`;
}

/** A process that is alive; one that only waits to be reaped is not. */
export interface LiveProcess {
  readonly pid: number;
  /** Its process group. */
  readonly group: number;
  /** Seconds since the machine's start, in steps of 10 ms; `undefined` where the system does not tell it exactly. */
  readonly startedAt: number | undefined;
}

/** The live members of a process group. */
export async function groupMembers(group: number, platform: NodeJS.Platform): Promise<readonly LiveProcess[]> {
  return (await liveProcesses(platform)).filter(one => one.group === group);
}

/**
 * The live processes whose environment holds the marker as an entry of its own. An environment of another user cannot
 * be read and is not ours. Windows shows nobody the environment of a process: there the list is always empty.
 */
export async function markedProcesses(match: MarkerMatch, platform: NodeJS.Platform): Promise<readonly number[]> {
  const found: number[] = [];
  await eachMarked(match, platform, pid => void found.push(pid));
  return found;
}

/**
 * Sends SIGKILL to every marked process, each right after its proof, in rounds (something may be starting another)
 * until two looks in a row find none. Gives back what was still there after the last round.
 */
export async function killMarked(
  match: MarkerMatch,
  { platform, rounds }: { readonly platform: NodeJS.Platform; readonly rounds: number },
): Promise<readonly number[]> {
  let left: number[] = [];
  for (let round = 0, clean = 0; round < rounds && clean < 2; round++) {
    if (round > 0) await pause(Math.min(10 * round, 100));
    left = [];
    await eachMarked(match, platform, pid => {
      left.push(pid);
      tryKill(pid);
    });
    clean = left.length === 0 ? clean + 1 : 0;
  }
  return left;
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone in between, or of another user: the next look tells
  }
}

async function eachMarked(match: MarkerMatch, platform: NodeJS.Platform, found: (pid: number) => void): Promise<void> {
  if (platform === 'linux') {
    for await (const [pid, environment] of readProc('environ')) {
      if (pid !== process.pid && carries(environment, '\0', match)) found(pid);
    }
  } else if (platform !== 'win32') {
    for (const line of await ps(['axeww', '-o', 'pid=,command='])) {
      const [, pid, command] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
      if (Number(pid) !== process.pid && carries(command ?? '', ' ', match)) found(Number(pid));
    }
  }
}

/** True if the text, a list of entries, has the marker variable with that value (or with a value of that instance). */
function carries(text: string, separator: string, { instance, marker }: MarkerMatch): boolean {
  const entry = `${separator}${markerVariable}=${markerText(instance, marker ?? '')}`;
  return `${separator}${text}${separator}`.includes(marker === undefined ? entry : entry + separator);
}

async function liveProcesses(platform: NodeJS.Platform): Promise<readonly LiveProcess[]> {
  if (platform === 'linux') {
    const rows: LiveProcess[] = [];
    for await (const [pid, stat] of readProc('stat')) rows.push(...parseStat(pid, stat));
    return rows;
  }
  if (platform === 'win32') return [];
  return (await ps(['ax', '-o', 'pid=,pgid=,stat='])).flatMap(line => {
    const [pid, group, state] = line.trim().split(/\s+/);
    return state === undefined || /^[ZX]/.test(state)
      ? []
      : [{ pid: Number(pid), group: Number(group), startedAt: undefined }];
  });
}

/** Linux: a clock tick in /proc is always 10 ms. */
const ticksPerSecond = 100;

function parseStat(pid: number, stat: string): readonly LiveProcess[] {
  // The second field is the program's name in parentheses and may hold anything, so count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  if (state === undefined || group === undefined || /^[ZX]?$/.test(state)) return [];
  return [{ pid, group: Number(group), startedAt: Number(fields[19]) / ticksPerSecond }];
}

const slice = 50;

/** That file of every process, a slice of them per turn: these reads never wait, and asking the thread pool costs more. */
async function* readProc(file: 'environ' | 'stat'): AsyncGenerator<readonly [pid: number, text: string]> {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    if (index % slice === slice - 1) await turn();
    try {
      yield [Number(pid), readFileSync(`/proc/${pid}/${file}`, 'latin1')];
    } catch {
      // gone, or of another user
    }
  }
}

async function ps(args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', args, { maxBuffer: 256 * 1024 * 1024 });
  return stdout.split('\n');
}
