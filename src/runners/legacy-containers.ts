import { type ContainerFacts, listContainers } from '../docker/containers.ts';
import { readLabels } from '../docker/labels.ts';
import { linkEngine } from './engine-link.ts';
import type { Surroundings } from './runner.ts';

const ourNames = /^(rax-(probe|mcp)-.+-\d+|mcp-.+)$/;
const deadline = 15_000;

/**
 * Containers that are named as ours are, without a label that says whose they are: an older version's. They are never
 * adopted nor removed, only told (R27): what made them may still use them. Rejects with `docker-unavailable` or
 * `command-not-found`.
 */
export async function legacyContainers(around: Surroundings): Promise<readonly ContainerFacts[]> {
  const { cli } = await linkEngine({ program: 'docker', globals: [], env: {} }, around);
  const all = await listContainers(cli, [], { deadline });
  return all.filter(({ name, labels }) => ourNames.test(name) && readLabels(labels).home === undefined);
}
