import { LongshoreError } from '../core/errors.ts';
import { silentLog } from '../core/ports/log.ts';
import { loopbackPort } from '../docker/ports.ts';
import { type Container, startContainer } from './container.ts';
import { containerFailure, endFailed } from './container-failure.ts';
import { type ContainerPlan, startOf } from './container-plan.ts';
import type { Opened, OpenRequest } from './runner.ts';
import { createStderrRing } from './stderr-ring.ts';
import { createHttpWire, type HttpWire } from './transport/http-wire.ts';
import { mcpReady } from './transport/mcp-readiness.ts';
import type { HttpHint } from './transport/startup-url.ts';

/** Milliseconds: the port is on this machine. */
const connectTimeout = 10_000;

/**
 * Starts the managed container with its ports published on loopback, waits until one of the hinted places gives an MCP
 * answer, and connects there (R10). Remembers where it was. Its failures name the phase `managed`.
 */
export async function openOverHttp(
  plan: ContainerPlan,
  request: OpenRequest,
  hints: readonly HttpHint[],
): Promise<Opened> {
  const { signal, around, serverKey } = request;
  const { clock, containers } = around;
  signal.throwIfAborted();
  request.onPhase('starting', plan.image);
  let wire: HttpWire | undefined;
  const container = await startContainer({
    ...startOf(plan, request),
    phase: plan.kind === 'docker-run' ? 'managed' : 'image',
    name: plan.names.managed,
    publish: [...new Set(hints.map(({ port }) => port))],
    onLine: () => undefined,
    disconnect: async () => wire?.close(),
    ...(plan.endsFirst === 'session' && { farewell: async (until: AbortSignal) => wire?.endSession(until) }),
  });
  const { child } = container;
  // Its stdout is a second log, and must be drained as well.
  createStderrRing({ stream: child.stdout, clock, log: silentLog, hide: plan.hide, onLine: child.stderr.add });
  try {
    const { url, hint } = await whereItAnswers(container, plan, request, hints);
    wire = createHttpWire({ url, headers: {}, connectTimeout, clock });
    await container.reached('ready');
    await containers.transports.put(plan.startDigest, { transport: 'streamable-http', ...hint });
    return {
      wire,
      transport: 'streamable-http',
      exited: child.exited,
      stderrTail: () => child.stderr.tail(),
      stderrCount: () => child.stderr.count(),
      diagnostics: () => plan.diagnostics,
      closeGracefully: until => container.removal.gracefully(until),
      closeForcibly: until => container.removal.forcibly(until),
    };
  } catch (error) {
    const failure = await containerFailure(error, container, request);
    const told = new LongshoreError(
      failure.code,
      `${failure.message} (${serverKey} was being started to serve HTTP.)`,
      {
        cause: failure,
        data: { ...failure.data, phase: 'managed' },
      },
    );
    throw await endFailed(container, failure.code === 'cancelled' ? failure : told, plan);
  }
}

/** A place where a server may answer. */
interface Place {
  /** On this machine. */
  readonly url: URL;
  /** Inside the container. */
  readonly hint: HttpHint;
}

/** Whichever place answers, as a URL on this machine and as it is inside the container. */
async function whereItAnswers(
  container: Container,
  plan: ContainerPlan,
  request: OpenRequest,
  hints: readonly HttpHint[],
): Promise<Place> {
  const { around, deadlines } = request;
  const gone = new AbortController();
  void container.child.exited.then(() =>
    gone.abort(new LongshoreError('connection-lost', 'The container ended before it answered.')),
  );
  const signal = AbortSignal.any([request.signal, gone.signal]);
  const facts = await container.running(signal);
  await container.reached('started');
  const places = hints.flatMap(hint => {
    const port = loopbackPort(facts, hint.port);
    if (port === undefined) return [];
    return plan
      .pathsOf(hint)
      .map((path): Place => ({ url: new URL(path, `http://127.0.0.1:${port}`), hint: { port: hint.port, path } }));
  });
  if (places.length === 0) {
    throw new LongshoreError(
      'failed-to-start',
      'It serves HTTP, but its network (--network host, none) has no ports that could be published on this machine. Leave the network flag out.',
    );
  }
  request.onPhase('waiting-ready', plan.image);
  return mcpReady(places, { clock: around.clock, budget: deadlines.containerReady, signal });
}
