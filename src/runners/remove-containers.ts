import type { Holding } from '../core/ports/ledger.ts';
import { listContainers } from '../docker/containers.ts';
import { label } from '../docker/labels.ts';
import { removeContainer } from '../docker/remove.ts';
import { linkEngine } from './engine-link.ts';
import type { Surroundings } from './runner.ts';

/** Milliseconds for one answer of an engine. */
const engineTime = 20_000;

/** Removes the containers of a row by their label, wherever they are; the label of our home must be there too. True if there were any. */
export async function removeContainers({ marker, engine }: Holding, around: Surroundings): Promise<boolean> {
  const { cli } = await linkEngine(engine ?? { program: 'docker', globals: [], env: {} }, around);
  const labels = [label('marker', marker), label('home', around.containers.homeId)];
  const found = await listContainers(cli, labels, { deadline: engineTime });
  for (const { id } of found) await removeContainer(cli, id, { budget: engineTime, clock: around.clock });
  return found.length > 0;
}
