import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { Epoch } from '../core/ids.ts';
import { type Verdict, verdictsInMemory } from '../core/ports/verdicts.ts';
import { olderRevisions } from '../core/protocol-versions.ts';
import type { Opened, OpenRequest } from '../runners/runner.ts';
import { tellingLines } from '../runners/telling-lines.ts';
import { type ConnectionRequest, UnfinishedStart } from './connection-request.ts';
import { cancelled } from './discovery-deadline.ts';
import { NegotiatedConnection } from './negotiated-connection.ts';
import { type OpeningDeadline, openingDeadline } from './opening-deadline.ts';
import { ServerLink } from './server-link.ts';
import { mayBlameVerdict, startFailure } from './start-failure.ts';
import { Life } from './state-machine.ts';
import { forget, recall, remember } from './verdict-memory.ts';

/** Opens a server on exactly the revisions that the request allows; see `OpenConnection`. */
export async function openNegotiated(request: ConnectionRequest, epoch?: Epoch): Promise<NegotiatedConnection> {
  using deadline = openingDeadline(request, request.signal, request.onPhase);
  return await start(request, deadline, await recall(request), epoch);
}

/** The same server on its older side; what that says about eras is not remembered as a verdict about the server. */
export function onOlderSide(request: ConnectionRequest): ConnectionRequest {
  return { ...request, revisions: olderRevisions, verdicts: verdictsInMemory() };
}

/** One start over all ways that the runner has; if a remembered verdict was wrong, once more without it. */
async function start(
  request: ConnectionRequest,
  deadline: OpeningDeadline,
  remembered: Verdict | undefined,
  epoch: Epoch | undefined,
): Promise<NegotiatedConnection> {
  if (request.signal.aborted) throw cancelledStart(request);
  const life = new Life();
  let opened = await opening(request, deadline, request.open(openRequest(request, deadline, remembered)));
  let earlier: LongshoreError | undefined;
  for (;;) {
    life.step('opened');
    const link = new ServerLink(opened, request, life);
    try {
      return await agree(request, deadline, link, { life, remembered, epoch });
    } catch (cause) {
      const disagreed = life.state.name === 'negotiating' && !deadline.signal.aborted;
      const way = disagreed ? opened.fallback?.(cause) : undefined;
      if (way === undefined) {
        const failure = leading(earlier, await failureOf(request, deadline, link, cause));
        await unwind(link, failure);
        if (remembered === undefined || opened.probe !== undefined || !mayBlameVerdict(failure)) throw failure;
        await forget(request);
        return await start(request, deadline, undefined, epoch);
      }
      life.step('another-way');
      await link.letGo();
      opened = await opening(request, deadline, way);
      earlier = opened.isGuess ? await startFailure(link, cause) : undefined;
    }
  }
}

/** After a guess has failed too, what the server said to the way that it was more likely meant for. */
function leading(earlier: LongshoreError | undefined, failure: LongshoreError): LongshoreError {
  const says = failure.code === 'cancelled' || failure.code === 'timeout' || failure.code === 'needs-login';
  if (earlier === undefined || says) return failure;
  const { data } = earlier;
  const message = `${earlier.message} Another transport was tried as well: ${failure.message}`;
  return new LongshoreError(earlier.code, message, { cause: failure, ...(data && { data }) });
}

function openRequest(
  request: ConnectionRequest,
  { signal, onPhase }: OpeningDeadline,
  verdict: Verdict | undefined,
): OpenRequest {
  const { agentId, serverKey, deadlines, around, declares: capabilities, revisions } = request;
  return {
    agentId,
    serverKey,
    deadlines,
    signal,
    capabilities,
    revisions,
    onPhase,
    around,
    ...(verdict && { verdict }),
  };
}

async function agree(
  request: ConnectionRequest,
  deadline: OpeningDeadline,
  link: ServerLink,
  {
    life,
    remembered,
    epoch,
  }: { readonly life: Life; readonly remembered: Verdict | undefined; readonly epoch: Epoch | undefined },
): Promise<NegotiatedConnection> {
  deadline.onPhase('negotiating');
  const agreement = await link.negotiate(remembered, deadline.signal);
  const connection = new NegotiatedConnection(request, link, life, agreement, epoch);
  life.step('negotiated');
  let { verdict } = agreement;
  if (agreement.unproven) {
    deadline.onPhase('listing');
    verdict = { era: 'modern', discover: await connection.prove(request.signal) };
  }
  if (verdict !== undefined) await remember(request, verdict);
  request.signal.throwIfAborted();
  return connection;
}

/** Waits for a runner; what it rejects with is told in terms of why the start ended. */
async function opening(request: ConnectionRequest, deadline: OpeningDeadline, way: Promise<Opened>): Promise<Opened> {
  try {
    return await way;
  } catch (error) {
    const failure = asLongshoreError(error, 'failed-to-start');
    // The runner says that something is left: that must not be hidden behind the cancellation.
    if (failure.code === 'close-failed') throw failure;
    throw interruption(request, deadline, failure) ?? failure;
  }
}

async function failureOf(
  request: ConnectionRequest,
  deadline: OpeningDeadline,
  link: ServerLink,
  cause: unknown,
): Promise<LongshoreError> {
  const failure = await startFailure(link, cause);
  return interruption(request, deadline, failure) ?? failure;
}

function cancelledStart({ signal, serverKey }: ConnectionRequest): LongshoreError {
  return cancelled(signal.reason, `The start of ${serverKey} was cancelled.`);
}

/** Why a start was ended from our side, if it was. */
function interruption(
  request: ConnectionRequest,
  { expired }: OpeningDeadline,
  { code, message, data, cause }: LongshoreError,
): LongshoreError | undefined {
  if (request.signal.aborted) return cancelledStart(request);
  if (expired === undefined) return undefined;
  // A runner that met the deadline itself has said more.
  if (code === 'timeout') return new LongshoreError(code, message, { cause, ...(data && { data }) });
  return new LongshoreError('timeout', `${expired.message}${soFar(data)}`, { cause, ...(data && { data }) });
}

/** What a server that did not come up in time has said until then. */
function soFar(data: LongshoreError['data']): string {
  const { stderr, notes } = data ?? {};
  const lines = Array.isArray(stderr) ? stderr.filter(line => typeof line === 'string') : [];
  const telling = tellingLines(lines).map(line => `\n  ${line}`);
  const noise = Array.isArray(notes) ? notes.filter(note => typeof note === 'string').map(note => ` ${note}`) : [];
  return `${noise.join('')}${telling.length === 0 ? '' : ` On stderr it says:${telling.join('')}`}`;
}

async function unwind(link: ServerLink, failure: LongshoreError): Promise<void> {
  try {
    await link.close();
  } catch (error) {
    const left = error instanceof Error ? error.message : String(error);
    throw new UnfinishedStart(`${failure.message} And then: ${left}`, new AggregateError([failure, error]), link.close);
  }
}
