import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import { sha256 } from '../core/ids.ts';
import { type Child, startChild } from './child.ts';
import { type FoundCommand, lookUpCommand } from './command-lookup.ts';
import { type Environment, hideSecrets, serverEnvironment } from './environment.ts';
import { nothingToExplain } from './explanation.ts';
import { type Launcher, launcherFailure, launcherOf } from './launchers.ts';
import { loginPathOf } from './login-path.ts';
import { type Asking, negotiateInPlace } from './negotiate-in-place.ts';
import { createOpenLimit } from './open-limit.ts';
import { makeOwnFolder } from './own-folder.ts';
import { startFailure } from './process-failure.ts';
import { removeProcesses } from './remove-processes.ts';
import type { Opened, OpenRequest, Runner } from './runner.ts';
import { type BothAnswered, probe } from './transport/probe.ts';
import { createStdioWire } from './transport/stdio-wire.ts';
import { watchWork } from './watch-work.ts';

/** A server that is a command on this machine. References in `env` are resolved when it starts. */
export const processSpec = z.readonly(
  z.object({
    kind: z.literal('process'),
    command: z.string().min(1),
    args: z.readonly(z.array(z.string())),
    env: z.readonly(z.record(z.string(), z.string())),
    cwd: z.exactOptional(z.string().min(1)),
  }),
);

/** See `processSpec`. */
export type ProcessSpec = z.infer<typeof processSpec>;

/** A start that needs nothing any more but the start itself. */
interface Launch {
  readonly command: FoundCommand;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly cwd: string | undefined;
  readonly hide: (text: string) => string;
}

/**
 * Starts a command in a process group of its own and negotiates in place on its pipes. A server that exits on the
 * unknown first question is started once more, as a legacy one. Rejects with `command-not-found`, `failed-to-start`,
 * `timeout`, `cancelled`, `no-common-version` or `protocol-error`, and only when everything it started is gone (R50);
 * where that cannot be reached, with `close-failed`.
 */
export const processRunner: Runner<ProcessSpec> = {
  spec: processSpec,
  olderSide: 'instead',
  reclaim: { kind: 'process', remove: removeProcesses },
  budget({ command, args }, deadlines) {
    const deadlineName = launcherOf(command, args) === undefined ? 'open' : 'launcherTotal';
    return { openWithin: deadlines[deadlineName], deadlineName };
  },
  identity: ({ kind, command, args, cwd, env }) => ({ server: { kind, command, args, cwd }, credential: env }),
  explain: async ({ kind, command, args, env }) => ({
    ...nothingToExplain,
    kind,
    command: [command, ...args],
    environment: Object.keys(env),
    isolation: ['None: it runs as you. It gets the allow-listed part of your environment and what is set for it.'],
    risks: [{ flag: command, why: "can do what you can: read your files and secrets, the operator's token included" }],
  }),
  async open(spec, request) {
    const { deadlines, verdict, serverKey, signal, around } = request;
    const launcher = launcherOf(spec.command, spec.args);
    const { openWithin: budget, deadlineName } = processRunner.budget(spec, deadlines);
    using limit = createOpenLimit({ budget, deadlineName, clock: around.clock, signal, serverKey });
    request.onPhase('looking-up', spec.command);
    const launch = await prepare(spec, request);
    return await negotiateInPlace({ verdict, budget, clock: around.clock }, asking =>
      attempt({ ...launch, launcher }, request, limit.signal, asking),
    );
  },
};

async function prepare(spec: ProcessSpec, { around, agentId, serverKey }: OpenRequest): Promise<Launch> {
  const { env: ours, platform, homeDir, serversFolder } = around;
  const { homeId } = around.containers;
  const env = serverEnvironment({}, platform, pythonDefaults(homeId), serverEnvironment(ours, platform, spec.env));
  const command = await lookUpCommand({
    command: spec.command,
    cwd: spec.cwd,
    env,
    ours,
    platform,
    homeDir,
    loginPath: () => loginPathOf(around),
  });
  if (spec.cwd !== undefined && !(await isFolder(spec.cwd))) {
    throw new LongshoreError(
      'failed-to-start',
      `The working folder ${spec.cwd} does not exist. Create it, or change cwd.`,
    );
  }
  return {
    command,
    args: [...command.args, ...spec.args],
    env: command.path === undefined ? env : serverEnvironment({}, platform, env, { PATH: command.path }),
    cwd: spec.cwd ?? (serversFolder && (await makeOwnFolder(serversFolder, agentId, serverKey))),
    hide: hideSecrets(spec.env),
  };
}

/**
 * What Python servers get unless somebody says otherwise: no output held back, UTF-8, and an order of sets that is random
 * for each home but the same at each start, or tools whose schemas list a set would change with every start.
 */
function pythonDefaults(homeId: string): Environment {
  const seed = Number.parseInt(sha256(`hash seed ${homeId}`).slice(0, 8), 16) || 1;
  return { PYTHONUNBUFFERED: '1', PYTHONUTF8: '1', PYTHONHASHSEED: String(seed) };
}

async function attempt(
  launch: Launch & { readonly launcher: Launcher | undefined },
  request: OpenRequest,
  signal: AbortSignal,
  asking: Asking,
): Promise<Opened | BothAnswered> {
  const { agentId, serverKey, around, capabilities, revisions, deadlines } = request;
  const { clock, log } = around;
  const { hide, launcher } = launch;
  signal.throwIfAborted();
  request.onPhase('starting');
  using watch = launcher && watchWork({ idle: deadlines.openLauncher, clock, signal, serverKey }, request.onPhase);
  const { file } = launch.command;
  const child = await startChild({
    ...launch,
    kind: 'process',
    file,
    agentId,
    serverKey,
    around,
    ...(watch && { onStderrLine: watch.heard }),
  });
  watch?.follow(child);
  const wire = createStdioWire({ stdin: child.stdin, stdout: child.stdout, exited: child.exited, clock, log, hide });
  try {
    await child.reached('started');
    if (watch === undefined) request.onPhase('negotiating');
    const until = watch?.signal ?? signal;
    const answer = await probe(wire, { capabilities, ...asking, revisions, clock, signal: until });
    if (answer.era === 'both') {
      await child.closeForcibly(new AbortController().signal);
      return answer;
    }
    await child.reached('ready');
    return {
      wire,
      transport: 'stdio',
      probe: answer,
      exited: child.exited,
      stderrTail: () => child.stderr.tail(),
      stderrCount: () => child.stderr.count(),
      diagnostics: () => wire.diagnostics(),
      closeGracefully: child.closeGracefully,
      closeForcibly: child.closeForcibly,
    };
  } catch (error) {
    const notes = wire.diagnostics().map(({ message }) => message);
    const met = await startFailure(error, child, { name: serverKey, clock, notes });
    const failure = launcher === undefined ? met : inLaunchersWords(met, launcher);
    await endFailed(child, failure);
    throw failure;
  }
}

/** With what a launcher's own failure means in front. */
function inLaunchersWords(failure: LongshoreError, launcher: Launcher): LongshoreError {
  const stderr = failure.data?.['stderr'];
  const lines = Array.isArray(stderr) ? stderr.filter(line => typeof line === 'string') : [];
  const meaning = failure.code === 'failed-to-start' ? launcherFailure(launcher, lines) : undefined;
  if (meaning === undefined) return failure;
  const { code, message, data, cause } = failure;
  return new LongshoreError(code, `${meaning} ${message}`, { cause, ...(data && { data }) });
}

/** R50: a start that failed is over only when all of it is gone. */
async function endFailed(child: Child, failure: LongshoreError): Promise<void> {
  try {
    await child.closeForcibly(new AbortController().signal);
  } catch (error) {
    const { message, data = {} } = asLongshoreError(error);
    throw new LongshoreError('close-failed', `${failure.message}\n${message}`, { cause: failure, data });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
