import { type Container, startContainer } from './container.ts';
import { containerFailure, endFailed } from './container-failure.ts';
import { type ContainerPlan, startOf } from './container-plan.ts';
import type { Asking } from './negotiate-in-place.ts';
import type { Opened, OpenRequest } from './runner.ts';
import { listenForHints } from './transport/log-hints.ts';
import { type BothAnswered, probe } from './transport/probe.ts';
import { createHintBoard, raceTransports } from './transport/race.ts';
import { type HttpHint, startupHint } from './transport/startup-url.ts';
import { createStdioWire, type StdioWire } from './transport/stdio-wire.ts';

/** What an attempt over stdio found instead: see `RaceResult`. */
export interface SpeaksHttp {
  readonly hints: readonly HttpHint[];
  readonly guessed: boolean;
}

/**
 * Starts the first container and lets stdio and HTTP race. Where HTTP wins, the container is gone before this settles (R10);
 * a failure is what `containerFailure` makes of it.
 */
export async function openOverStdio(
  plan: ContainerPlan,
  request: OpenRequest,
  exposed: readonly HttpHint[],
  asking: Asking,
): Promise<Opened | SpeaksHttp | BothAnswered> {
  const { signal, around, capabilities, revisions } = request;
  const { clock, log } = around;
  signal.throwIfAborted();
  request.onPhase('starting', plan.image);
  const hints = createHintBoard();
  const hear = (line: string): void => {
    const hint = startupHint(line);
    if (hint !== undefined) hints.add(hint);
  };
  const container = await startContainer({
    ...startOf(plan, request),
    phase: plan.kind === 'docker-run' ? 'probe' : 'image',
    name: plan.names.probe,
    publish: [],
    onLine: hear,
    disconnect: async () => wire.close(),
    ...(plan.endsFirst === 'session' && { farewell: () => stdinEnded(container) }),
  });
  const { child } = container;
  const wire: StdioWire = createStdioWire({ ...child, clock, log, hide: plan.hide });
  const stopListening = listenForHints(child.stdout, hear);
  try {
    request.onPhase('probing', plan.image);
    const result = await raceTransports({
      stdio: until => probe(wire, { capabilities, ...asking, revisions, clock, signal: until }),
      hints,
      exposed,
      clock,
      signal,
    });
    if (result.transport === 'streamable-http') {
      request.onPhase('switching', plan.image);
      await container.removal.forcibly(new AbortController().signal);
      return result;
    }
    const { answer } = result;
    if (answer.era === 'both') {
      await container.removal.forcibly(new AbortController().signal);
      return answer;
    }
    await container.reached('ready');
    return {
      wire,
      transport: 'stdio',
      probe: answer,
      exited: child.exited,
      stderrTail: () => child.stderr.tail(),
      stderrCount: () => child.stderr.count(),
      diagnostics: () => [...plan.diagnostics, ...wire.diagnostics()],
      closeGracefully: until => container.removal.gracefully(until),
      closeForcibly: until => container.removal.forcibly(until),
    };
  } catch (error) {
    throw await endFailed(container, await containerFailure(error, container, request), plan);
  } finally {
    stopListening();
  }
}

/** A server that ends with its stdin has time to put away what it holds. */
async function stdinEnded({ child }: Container): Promise<void> {
  child.stdin.end();
  await child.exited;
}
