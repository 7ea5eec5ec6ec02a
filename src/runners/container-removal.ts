import type { Clock } from '../core/clock.ts';
import { asLongshoreError } from '../core/errors.ts';
import { inspectContainer, listContainers } from '../docker/containers.ts';
import type { DockerCli } from '../docker/docker-cli.ts';
import { label, readLabels } from '../docker/labels.ts';
import { removeContainer } from '../docker/remove.ts';
import type { Child } from './child.ts';

/** What is known of a container that has to go. */
export interface RemovalTarget {
  readonly cli: DockerCli;
  readonly name: string;
  /** In its labels: the proof that it is this one. */
  readonly marker: string;
  /** The attached CLI. */
  readonly child: Child;
  /** Settles with its id once it was created, or with `undefined` when the CLI has ended without. */
  readonly created: Promise<string | undefined>;
  readonly clock: Clock;
  /** Milliseconds for one removal. */
  readonly budget: number;
}

/** Milliseconds for which a removal waits for a container that is just being created. */
const startWindow = 3_000;
/** Milliseconds after which a container can still appear although its CLI was killed. */
const lateArrival = 2_500;
const looking = { deadline: 20_000 };

/** The id of a container, or `undefined` if it is not known even after a moment's wait. */
export async function idWithin({
  created,
  clock,
}: Pick<RemovalTarget, 'created' | 'clock'>): Promise<string | undefined> {
  const stop = new AbortController();
  const enough = clock.sleep(startWindow, stop.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([created, enough]);
  } finally {
    stop.abort();
  }
}

/**
 * The stop (R1): removes the container by its recorded id, or by its name where the labels prove that it is the one
 * that was meant. Resolves with true if it is certainly gone; with false where it may still be on its way, because the
 * CLI was neither heard of nor has ended. Rejects with the engine's refusal.
 */
export async function removeFromEngine(target: RemovalTarget): Promise<boolean> {
  const { cli, name, marker, child, clock, budget } = target;
  const id = await idWithin(target);
  if (id !== undefined) {
    await removeContainer(cli, id, { budget, clock });
    return true;
  }
  const ended = child.exit();
  try {
    // The name may be another's: then the CLI has failed because of it.
    const facts = await inspectContainer(cli, name, looking);
    if (facts !== undefined && readLabels(facts.labels).marker === marker) {
      await removeContainer(cli, name, { budget, clock });
    }
  } catch (error) {
    // Then the CLI could not create anything either.
    if (ended?.how !== 'exited' || asLongshoreError(error).code !== 'docker-unavailable') throw error;
  }
  return ended !== undefined;
}

/** Once more, and again after a while: killing the CLI while the engine creates a container does not keep it from appearing. */
export async function removeLateArrivals({ cli, marker, clock, budget }: RemovalTarget): Promise<void> {
  for (const wait of [0, lateArrival]) {
    if (wait > 0) await clock.sleep(wait);
    const found = await listContainers(cli, [label('marker', marker)], looking);
    for (const facts of found) await removeContainer(cli, facts.id, { budget, clock });
  }
}
