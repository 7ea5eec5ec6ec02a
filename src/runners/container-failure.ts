import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { ContainerFacts } from '../docker/containers.ts';
import { dockerFailure } from '../docker/docker-failure.ts';
import type { Container } from './container.ts';
import { startFailure } from './process-failure.ts';
import type { OpenRequest } from './runner.ts';

/** Milliseconds that the CLI may take to end after its container: with `--rm` it waits for the removal. */
const exitLag = 3_000;
/** The CLI's own exit codes: the engine refused, the command is no program, the command is not there. */
const refusals: ReadonlySet<number> = new Set([125, 126, 127]);

/** Why a container did not come up: in the engine's words where it refused, else with the server's last lines. */
export async function containerFailure(
  error: unknown,
  container: Container,
  { serverKey, signal, around: { clock } }: OpenRequest,
): Promise<LongshoreError> {
  const { child, name } = container;
  const cause = interruption(error, signal) ?? asLongshoreError(error);
  if (cause.code === 'cancelled' || cause.code === 'close-failed') return cause;
  const enough = new AbortController();
  if (cause.code === 'connection-lost') {
    await Promise.race([child.exited, clock.sleep(exitLag, enough.signal).catch(() => undefined)]);
    enough.abort();
  }
  const exit = child.exit();
  if (exit?.how === 'exited' && refusals.has(exit.code)) {
    await child.stderr.drained();
    const said = child.stderr.tail();
    if (said.some(line => /^docker: |^Error: |Error response from daemon/.test(line))) {
      const refused = dockerFailure(`Starting the container ${name}`, { code: exit.code, stderr: said.join('\n') });
      const code = refused.code === 'docker-failed' ? 'failed-to-start' : refused.code;
      return new LongshoreError(code, refused.message, { cause, data: { exit: { ...exit }, stderr: said } });
    }
  }
  const failure = await startFailure(cause, child, { name: serverKey, clock });
  if (exit?.how !== 'exited' || exit.code !== 137) return failure;
  // Nobody of us killed it. With `--rm` the engine has forgotten why.
  const facts = await container.look().catch(() => undefined);
  const why = whyKilled(facts);
  const data = { ...failure.data, outOfMemory: facts?.outOfMemory ?? null };
  return new LongshoreError(failure.code, `${failure.message} Code 137: it ${why}${why.endsWith('.') ? '' : '.'}`, {
    cause: failure,
    data,
  });
}

function whyKilled(facts: ContainerFacts | undefined): string {
  if (facts?.outOfMemory === false) return 'was killed from outside';
  const raise = 'Raise it with "memory" for an image, or --memory in a docker run command.';
  if (facts === undefined) return `was killed, most likely for using more memory than it may. ${raise}`;
  const limit = facts.memory === 0 ? 'this machine has' : `its limit of ${Math.round(facts.memory / 1024 ** 2)} MiB`;
  return `was killed for using more memory than ${limit}. ${raise}`;
}

/** Whoever aborts with a reason of ours means that reason; any other reason is somebody who no longer wants it. */
function interruption(error: unknown, signal: AbortSignal): LongshoreError | undefined {
  if (!signal.aborted || error instanceof LongshoreError) return undefined;
  return new LongshoreError('cancelled', 'The start was cancelled.', { cause: error });
}

/**
 * Ends what is left of a failed start and gives back what to throw: the failure, or `close-failed` if something could
 * not be removed. A failure that a person may want to look into leaves its container, stopped, where the plan says so.
 */
export async function endFailed(
  container: Container,
  failure: LongshoreError,
  { keepsFailed }: { readonly keepsFailed: boolean },
): Promise<LongshoreError> {
  try {
    const mayStay = keepsFailed && failure.code !== 'cancelled';
    // Undefined where the engine does not say: then it may be there, and nobody is told that it is.
    const isThere = mayStay ? await container.look().then(isFound, () => undefined) : false;
    if (isThere === false) {
      await container.removal.forcibly(new AbortController().signal);
      return failure;
    }
    await container.keepFailed(failure);
    if (isThere === undefined) return failure;
    const message = `${failure.message} The container ${container.name} is kept, stopped, until the server is unloaded.`;
    return new LongshoreError(failure.code, message, {
      cause: failure,
      data: { ...failure.data, container: container.name },
    });
  } catch (error) {
    const { message, data = {} } = asLongshoreError(error);
    return new LongshoreError('close-failed', `${failure.message} And then: ${message}`, { cause: failure, data });
  }
}

function isFound(facts: ContainerFacts | undefined): boolean {
  return facts !== undefined;
}
