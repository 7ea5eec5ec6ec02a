import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import { inspectContainer } from '../docker/containers.ts';
import { type Ownership, ownership, readLabels } from '../docker/labels.ts';
import { removeContainer } from '../docker/remove.ts';
import { openOverHttp } from './container-http.ts';
import type { ContainerPlan } from './container-plan.ts';
import { openOverStdio, type SpeaksHttp } from './container-stdio.ts';
import { imageHints } from './image-hints.ts';
import { negotiateInPlace } from './negotiate-in-place.ts';
import { reclaimHolding } from './reclaim-holding.ts';
import { removeContainers } from './remove-containers.ts';
import type { Opened, OpenRequest } from './runner.ts';
import type { HttpHint } from './transport/startup-url.ts';

/**
 * Starts a container server and finds out how it speaks (R8, R9): by what an earlier start or the image's own labels
 * say, else by the race of stdio and HTTP. Every container that it made is gone, or kept as the plan says, when it
 * rejects (R50).
 */
export async function openContainerServer(plan: ContainerPlan, request: OpenRequest): Promise<Opened> {
  const { containers } = request.around;
  const overHttp = (hints: readonly HttpHint[]) =>
    withNameFreed(plan, plan.names.managed, request, () => openOverHttp(plan, request, hints));
  const known = await containers.transports.get(plan.startDigest);
  const { labelled, exposed } = imageHints(plan.facts);
  const told = [...plan.expected, ...labelled];
  const expected = known?.transport === 'streamable-http' ? [known] : known === undefined ? told : [];
  if (expected.length > 0) {
    try {
      return await overHttp(expected);
    } catch (error) {
      // What was learned or written about the image may be out of date; what it does now decides.
      if (!serverFailed(error, request)) throw error;
      await containers.transports.forget(plan.startDigest);
    }
  }
  // Silence says nothing about an image that is known to speak on stdio, however long it takes.
  const found = await negotiate(plan, request, known?.transport === 'stdio' ? [] : exposed);
  if ('wire' in found) return found;
  try {
    return await overHttp(found.hints);
  } catch (error) {
    if (!found.guessed || !serverFailed(error, request)) throw error;
    return await negotiateAfter(error, plan, request);
  }
}

/** True if it is the server that did not do what was expected: something else may be tried. */
function serverFailed(error: unknown, { signal }: OpenRequest): error is LongshoreError {
  return !signal.aborted && error instanceof LongshoreError && error.code === 'failed-to-start';
}

/** The guess was wrong, so the server is a slow one: it gets all the time that is left. */
async function negotiateAfter(guess: LongshoreError, plan: ContainerPlan, request: OpenRequest): Promise<Opened> {
  try {
    const found = await negotiate(plan, request, []);
    if ('wire' in found) return found;
  } catch (error) {
    const { code, message, data } = asLongshoreError(error);
    if (code === 'cancelled' || code === 'close-failed') throw error;
    throw new LongshoreError(code, `${message} Before that, over HTTP: ${guess.message}`, {
      cause: error,
      ...(data && { data }),
    });
  }
  throw guess;
}

/**
 * A name that is taken is tried once more if what has it is ours and of a run that is dead; the home's lock proves that
 * every other run is (R19).
 */
async function withNameFreed<Result>(
  { link: { cli }, kind, image }: ContainerPlan,
  name: string,
  request: OpenRequest,
  open: () => Promise<Result>,
): Promise<Result> {
  const { agentId: agent, around, deadlines, signal } = request;
  await reclaimFailed(request);
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof LongshoreError) || error.code !== 'name-in-use') throw error;
    const facts = await inspectContainer(cli, name, { deadline: deadlines.open, signal });
    if (facts !== undefined) {
      const whose = ownership(facts.labels, { home: around.containers.homeId, agent });
      const labels = readLabels(facts.labels);
      if (whose !== 'ours' || labels.image !== image) throw kind === 'docker-image' ? notOurs(name, whose) : error;
      if (labels.instance === around.instance) throw error;
      await removeContainer(cli, facts.id, { budget: deadlines.close, clock: around.clock, signal });
    }
    await reclaimFailed(request);
    return open();
  }
}

/** R57: a container with our name is another's unless home, owner and image labels are ours. */
function notOurs(name: string, whose: Ownership): LongshoreError {
  return whose === 'other-home'
    ? new LongshoreError(
        'in-use-by-other-home',
        `The container ${name} belongs to another home of Longshore and was left alone. Unload the server there first.`,
      )
    : new LongshoreError(
        'ownership-mismatch',
        `A container ${name} exists that is not this agent's, so it was left alone. Remove or rename it.`,
      );
}

/** Removes what earlier failed starts of this server left for inspection, or could not remove (R54, R58). */
async function reclaimFailed({ agentId, serverKey, around }: OpenRequest): Promise<void> {
  const rows = await around.ledger.list({ agentId, serverKey });
  for (const row of rows)
    if (row.kind === 'container' && row.state === 'failed') await reclaimHolding(row, removeContainers, around);
}

/**
 * One attempt over stdio; a server that ends on the unknown first question gets a second one, as a legacy server.
 * What it speaks on stdio is remembered.
 */
async function negotiate(
  plan: ContainerPlan,
  request: OpenRequest,
  exposed: readonly HttpHint[],
): Promise<Opened | SpeaksHttp> {
  const { verdict, deadlines, around } = request;
  const budget = deadlines.containerReady + deadlines.open;
  const found = await negotiateInPlace<Opened | SpeaksHttp>({ verdict, budget, clock: around.clock }, asking =>
    withNameFreed(plan, plan.names.probe, request, () => openOverStdio(plan, request, exposed, asking)),
  );
  if ('wire' in found) await request.around.containers.transports.put(plan.startDigest, { transport: 'stdio' });
  return found;
}
