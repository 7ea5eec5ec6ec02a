import { uptime } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { HoldingKind } from '../core/ports/ledger.ts';
import { createCloser } from './closer.ts';
import type { Environment } from './environment.ts';
import { processTree } from './process-tree.ts';
import { type Work, workOf } from './process-work.ts';
import type { Exit, Opened, Surroundings } from './runner.ts';
import { spawnGroup } from './spawn-group.ts';
import { createStderrRing, type StderrRing } from './stderr-ring.ts';

/** What is started, and for whom. */
export interface ChildSpec {
  readonly kind: HoldingKind;
  /** What the ledger is to remember of it. */
  readonly name?: string;
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  /** Absolute path; started without a shell. */
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment but for our marker. */
  readonly env: Environment;
  readonly cwd?: string | undefined;
  /** Takes secrets out of what it prints. */
  readonly hide: (text: string) => string;
  readonly around: Surroundings;
  /** How long it has to end by itself; two seconds each if not said. */
  readonly patience?: Patience;
  /** Also hears every line of stderr. */
  readonly onStderrLine?: (line: string) => void;
}

/** A process of ours, in its own group, in the ledger, known to the watchdog. */
export interface Child extends Pick<Opened, 'exited' | 'closeGracefully' | 'closeForcibly'> {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: StderrRing;
  /** How it ended, if it has. */
  exit(): Exit | undefined;
  /** What it and all that came out of it have done so far, where the system tells. */
  work(): Promise<Work | undefined>;
  /** Writes a step of its life to the ledger. */
  reached(state: 'started' | 'ready'): Promise<void>;
}

/** Milliseconds from the end of stdin to SIGTERM, and from there to SIGKILL. */
export interface Patience {
  readonly afterStdin: number;
  readonly afterTerm: number;
}

const defaultPatience: Patience = { afterStdin: 2_000, afterTerm: 2_000 };
const pollEvery = 25;

/**
 * Starts a process: ledger row first (R62), then the spawn. Whoever calls must listen to its stdout in the same turn.
 * When it exits by itself, what it left behind (its group, everything with its marker) is ended too.
 * Rejects with `failed-to-start` if it cannot be spawned; nothing is left then.
 */
export async function startChild(spec: ChildSpec): Promise<Child> {
  const { kind, agentId, serverKey, around, patience = defaultPatience } = spec;
  const { ledger, clock, log, platform, watchdog, instance } = around;
  const marker = around.randomId();
  const holding = await ledger.record({
    kind,
    agentId,
    serverKey,
    instance,
    marker,
    name: spec.name ?? null,
    image: null,
  });
  const env = { ...spec.env, ...watchdog.markerEnv(marker) };
  const spawned = await spawnGroup({ ...spec, env, cwd: spec.cwd, platform }).catch(async (error: unknown) => {
    await ledger.forget(holding.id);
    throw error;
  });
  const { process: child, pid, stdin, stdout } = spawned;

  let exit: Exit | undefined;
  const exited = new Promise<Exit>(resolve => {
    child.once('exit', (code, signal) => {
      exit = signal === null ? { how: 'exited', code: code ?? 0 } : { how: 'signalled', signal };
      resolve(exit);
    });
  });
  const tree = processTree({ child, pid, match: { instance, marker }, platform, clock, uptime });
  const stderr = createStderrRing({
    stream: spawned.stderr,
    clock,
    log,
    hide: spec.hide,
    ...(spec.onStderrLine && { onLine: spec.onStderrLine }),
  });
  stdin.on('error', () => undefined); // EPIPE: whoever writes is told by the write
  watchdog.track(pid);

  /** Waits until the group is gone, at most that long and not at all in a hurry. */
  async function leaves(within: number, hurry: Promise<void>): Promise<boolean> {
    const stop = new AbortController();
    const gone = async (): Promise<boolean> => {
      await exited;
      while (!stop.signal.aborted && (await tree.members()).length > 0) await clock.sleep(pollEvery, stop.signal);
      return true;
    };
    const no = (): boolean => false;
    try {
      return await Promise.race([gone(), clock.sleep(within, stop.signal).then(no), hurry.then(no)]);
    } finally {
      stop.abort();
    }
  }

  const closer = createCloser(async hurry => {
    await ledger.update(holding.id, { state: 'closing' }).catch((error: unknown) => {
      log.error({ error: String(error), serverKey }, 'The ledger could not be told that a server closes.');
    });
    stdin.end();
    if (!(await leaves(patience.afterStdin, hurry))) {
      await tree.signal('SIGTERM');
      await leaves(patience.afterTerm, hurry);
    }
    const left = await tree.kill();
    if (left.length > 0) {
      const message = `The processes ${left.join(', ')} of ${serverKey} could not be ended. End them by hand, then unload the server again.`;
      await ledger.update(holding.id, { state: 'failed', lastError: message });
      throw new LongshoreError('close-failed', message, { data: { pids: left } });
    }
    watchdog.untrack(pid);
    await ledger.forget(holding.id);
  });
  void exited.then(async () => {
    if (closer.closing) return;
    await closer.forcibly(new AbortController().signal).catch((error: unknown) => {
      log.error({ error: String(error), serverKey }, 'A server that ended left something that could not be ended.');
    });
  });

  return {
    pid,
    stdin,
    stdout,
    stderr,
    exited,
    exit: () => exit,
    work: async () => await workOf(await tree.members(), platform),
    async reached(state) {
      // A process that exited at once has left the ledger, or is about to.
      if (!closer.closing) await ledger.update(holding.id, { state, engineId: String(pid) });
    },
    closeGracefully: signal => closer.gracefully(signal),
    closeForcibly: signal => closer.forcibly(signal),
  };
}
