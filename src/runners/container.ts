import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { HoldingChange } from '../core/ports/ledger.ts';
import { createCidFile } from '../docker/cidfile.ts';
import { type ContainerFacts, inspectContainer } from '../docker/containers.ts';
import { type ContainerPhase, writeLabels } from '../docker/labels.ts';
import type { OurFlags } from '../docker/shape-run.ts';
import { parted } from '../docker/steers-cli.ts';
import { untilAborted } from '../lib/until-aborted.ts';
import { type Child, startChild } from './child.ts';
import { type Closer, createCloser } from './closer.ts';
import { idWithin, type RemovalTarget, removeFromEngine, removeLateArrivals } from './container-removal.ts';
import { type EngineLink, guardAtDeath } from './engine-link.ts';
import { type Environment, serverEnvironment } from './environment.ts';
import type { OpenRequest } from './runner.ts';

/** One attached `docker run`, and for whom. */
export interface ContainerStart {
  readonly link: EngineLink;
  readonly request: OpenRequest;
  readonly kind: 'docker-run' | 'docker-image';
  readonly phase: ContainerPhase;
  readonly name: string;
  /** With its tag explicit. */
  readonly image: string;
  /** The container's ports to be published. */
  readonly publish: readonly number[];
  /** The arguments of the whole command. */
  readonly args: (ours: OurFlags) => readonly string[];
  /** Beside what the engine needs: the values of `-e NAME`. */
  readonly env: Environment;
  readonly cwd: string | undefined;
  /** Takes secrets out of what it prints. */
  readonly hide: (text: string) => string;
  /** Hears every line of its stderr. */
  readonly onLine: (line: string) => void;
  /** Ends the session politely, where that comes before the removal; given up after some time. */
  readonly farewell?: (signal: AbortSignal) => Promise<void>;
  /** Closes the transport: once the removal has settled, however it went (R3). */
  readonly disconnect: () => Promise<void>;
}

/** A container of ours: in the ledger before it exists, known to the watchdog, its CLI attached. */
export interface Container {
  readonly name: string;
  /** The attached CLI: the container's stdin, stdout, stderr and exit code, but not its life. */
  readonly child: Child;
  /** Settles when it runs. Rejects with `connection-lost` if it ends before, or with the signal's reason. */
  running(signal: AbortSignal): Promise<ContainerFacts>;
  /** What the engine knows of it now; `undefined` if it has none such, or was never heard of. */
  look(): Promise<ContainerFacts | undefined>;
  /** Writes a step of its life to the ledger. */
  reached(state: 'started' | 'ready'): Promise<void>;
  /** Its one end: removed and seen to be gone, then the transport, then the CLI, then its row (R1, R3). */
  readonly removal: Closer;
  /** Ends what runs but leaves the container and its row for a person to look at, until it is unloaded (R58). */
  keepFailed(error: LongshoreError): Promise<void>;
}

/** Milliseconds that a polite end may take before the removal. */
const farewellTime = 2_000;
const pollEvery = 100;
const lookDeadline = 20_000;

/**
 * Starts a container. Whoever calls must listen to its stdout in the same turn, and owes its removal.
 * Rejects with `failed-to-start` if the CLI cannot be spawned; nothing is left then.
 */
export async function startContainer(start: ContainerStart): Promise<Container> {
  const { link, request, kind, phase, name, image, publish } = start;
  const { cli } = link;
  const { agentId, serverKey, around, deadlines } = request;
  const { ledger, clock, log, instance, pid, containers } = around;
  const marker = around.randomId();
  // What is meant for the container must not choose the engine; a user's own command is meant to be steered.
  const { forFile, forCli } = kind === 'docker-image' ? parted(start.env) : { forFile: '', forCli: start.env };
  guardAtDeath(link, around);
  const holding = await ledger.record({
    kind: 'container',
    agentId,
    serverKey,
    instance,
    marker,
    name,
    image,
    engine: link.address,
  });
  const cidFile = await createCidFile(containers.temporaryFolder, instance);
  const discard = async (): Promise<void> => {
    await cidFile[Symbol.asyncDispose]();
    await ledger.forget(holding.id);
  };
  await cidFile.writeEnv(forFile).catch(async (error: unknown) => {
    await discard();
    throw error;
  });
  const labels = writeLabels({
    home: containers.homeId,
    agent: agentId,
    server: serverKey,
    kind,
    instance,
    marker,
    phase,
    pid,
    image,
  });
  const child = await startChild({
    kind: 'process',
    agentId,
    serverKey,
    file: cli.program,
    args: [...start.args({ name, cidfile: cidFile.path, envFile: cidFile.envPath, labels, publish })],
    env: serverEnvironment({}, around.platform, cli.env, forCli),
    cwd: start.cwd,
    hide: start.hide,
    around,
    onStderrLine: start.onLine,
  }).catch(async (error: unknown) => {
    await discard();
    throw error;
  });

  const cliEnded = new AbortController();
  void child.exited.then(() => cliEnded.abort());
  const created = cidFile.appears(clock, cliEnded.signal).then(async id => {
    if (id !== undefined) await note({ state: 'created', engineId: id });
    // Known is known: a file less that a sudden death of ours could leave.
    await cidFile[Symbol.asyncDispose]();
    return id;
  });

  /** What the ledger cannot be told must not keep anything from being removed. */
  async function note(change: HoldingChange): Promise<void> {
    if (removal.closing && change.state !== 'closing' && change.state !== 'failed') return;
    await ledger.update(holding.id, change).catch((error: unknown) => {
      log.error({ error: String(error), serverKey, name }, 'The ledger could not be told of a step of a container.');
    });
  }

  // The budget leaves room for a second try within the time of a close (R51, R52).
  const target: RemovalTarget = { cli, name, marker, child, created, clock, budget: deadlines.close * 0.8 };

  const removal = createCloser(async hurry => {
    await note({ state: 'closing' });
    if (start.farewell !== undefined) await politely(start.farewell, hurry, start);
    const failures: LongshoreError[] = [];
    const attempt = async (step: () => Promise<void>): Promise<void> => {
      await step().catch((error: unknown) => failures.push(asLongshoreError(error, 'close-failed')));
    };
    let isGone = true;
    await attempt(async () => {
      isGone = await removeFromEngine(target);
    });
    await attempt(start.disconnect);
    await attempt(() => child.closeForcibly(new AbortController().signal));
    if (!isGone) await attempt(() => removeLateArrivals(target));
    const [first] = failures;
    if (first !== undefined) {
      const message = `The container ${name} could not be removed: ${first.message}`;
      await note({ state: 'failed', lastError: message });
      throw new LongshoreError('close-failed', message, {
        cause: failures.length === 1 ? first : new AggregateError(failures, message),
        data: { container: name },
      });
    }
    await discard();
  });

  return {
    name,
    child,
    removal,
    async running(signal) {
      const id = await untilAborted(created, signal);
      while (id !== undefined) {
        const facts = await inspectContainer(cli, id, { deadline: lookDeadline, signal });
        if (facts?.running) return facts;
        if (facts === undefined || facts.state !== 'created') break;
        await clock.sleep(pollEvery, signal);
      }
      throw new LongshoreError('connection-lost', `The container ${name} ended before it was running.`);
    },
    async look() {
      const id = await idWithin(target);
      return id === undefined ? undefined : inspectContainer(cli, id, { deadline: lookDeadline });
    },
    async reached(state) {
      await note({ state });
      await child.reached(state);
    },
    async keepFailed(error) {
      await note({ state: 'failed', lastError: error.message });
      const id = await idWithin(target);
      // One that has ended cannot be killed, and one that cannot be killed is removed when the server is unloaded.
      if (id !== undefined) await cli.run(['kill', id], { deadline: lookDeadline }).catch(() => {});
      await start.disconnect();
      await child.closeForcibly(new AbortController().signal);
      await cidFile[Symbol.asyncDispose]();
    },
  };
}

/** Gives a polite end its time, unless somebody is in a hurry; its failure keeps nothing from the removal. */
async function politely(
  farewell: (signal: AbortSignal) => Promise<void>,
  hurry: Promise<void>,
  { request: { around, serverKey } }: ContainerStart,
): Promise<void> {
  const enough = new AbortController();
  const time = around.clock.sleep(farewellTime, enough.signal).catch(() => {});
  const said = farewell(enough.signal).catch((error: unknown) => {
    around.log.debug({ serverKey, error: String(error) }, 'A server could not be told goodbye.');
  });
  await Promise.race([said, hurry, time]);
  enough.abort();
}
