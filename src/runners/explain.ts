import type { AgentId } from '../core/ids.ts';
import type { ServerKind } from '../core/words.ts';
import { imageArgs } from '../docker/image-args.ts';
import { imageServerId, normaliseImage } from '../docker/image-reference.ts';
import type { Risk } from '../docker/run-risks.ts';
import { shapeRun } from '../docker/shape-run.ts';
import { type DockerImageSpec } from './docker-image.ts';
import { type DockerRunSpec, reviewDockerRun } from './docker-run.ts';
import type { ServerSpec } from './index.ts';
import type { ProcessSpec } from './process.ts';
import type { RemoteSpec } from './remote.ts';
import type { Surroundings } from './runner.ts';

/** What starting a server would do, told without doing any of it. References are shown, not resolved. */
export interface Explanation {
  readonly kind: ServerKind;
  /** Program and arguments as they would be run; empty for a remote server. */
  readonly command: readonly string[];
  readonly url: string | undefined;
  /** Names only: values are never shown. */
  readonly environment: readonly string[];
  readonly headers: readonly string[];
  /** What keeps it from the rest of the machine, one sentence each. */
  readonly isolation: readonly string[];
  readonly risks: readonly Risk[];
  /** What was taken over or will surprise. */
  readonly notes: readonly string[];
}

/** Explains a server by its kind; runs nothing and asks no engine. Throws `bad-config` for what could not be run either. */
export async function explainServer(spec: ServerSpec, agentId: AgentId, around: Surroundings): Promise<Explanation> {
  switch (spec.kind) {
    case 'process':
      return explainProcess(spec);
    case 'docker-run':
      return explainDockerRun(spec, around);
    case 'docker-image':
      return explainImage(spec, agentId);
    case 'remote':
      return explainRemote(spec);
  }
}

const nothing = { url: undefined, headers: [], notes: [] } as const;

/** Stands for what is only known when a container is made. */
const placeholders = { cidfile: '<private file>', labels: { 'dev.longshore.…': '…' } } as const;

function explainProcess({ kind, command, args, env }: ProcessSpec): Explanation {
  return {
    ...nothing,
    kind,
    command: [command, ...args],
    environment: Object.keys(env),
    isolation: ['None: it runs as you. It gets the allow-listed part of your environment and what is set for it.'],
    risks: [{ flag: command, why: "can do what you can: read your files and secrets, the operator's token included" }],
  };
}

function explainRemote({ kind, url, headers }: RemoteSpec): Explanation {
  return {
    ...nothing,
    kind,
    command: [],
    url,
    environment: [],
    headers: Object.keys(headers),
    isolation: ['It runs elsewhere: it gets what is sent to it, and nothing of this machine.'],
    risks: [],
  };
}

async function explainDockerRun(spec: DockerRunSpec, around: Surroundings): Promise<Explanation> {
  const review = await reviewDockerRun(spec, around);
  const name = `rax-probe-${spec.name}-${around.pid}`;
  const network = review.run.flags.findLast(flag => flag.name === '--network')?.value ?? 'bridge';
  return {
    ...nothing,
    kind: spec.kind,
    command: [spec.command, ...shapeRun(review, { name, ...placeholders, publish: [] })],
    environment: Object.keys(spec.env),
    isolation: [
      networkSentence(network),
      'Everything else is as its flags say; ports are published on 127.0.0.1 only.',
      ...review.mounted.map(folder => `It sees ${folder} of this machine.`),
    ],
    risks: review.risks,
    notes: review.notes.map(note => note.message),
  };
}

function explainImage(spec: DockerImageSpec, agentId: AgentId): Explanation {
  const image = normaliseImage(spec.image);
  const ours = { name: imageServerId(agentId, image), ...placeholders, publish: [] };
  const asked = { image, args: spec.args, envNames: Object.keys(spec.env) };
  return {
    ...nothing,
    kind: spec.kind,
    command: ['docker', ...imageArgs(asked, spec, { user: '' }, ours)],
    environment: asked.envNames,
    isolation: [
      'No capabilities, no new privileges, a read-only root, limits on processes, memory and processors.',
      networkSentence(spec.network ?? 'bridge'),
      ...(spec.mounts ?? []).map(mount => `It sees ${mount.split(':', 1)[0]} of this machine.`),
    ],
    risks: [],
    notes: ['If the image serves HTTP, its port is published on 127.0.0.1 under a number that the engine chooses.'],
  };
}

function networkSentence(network: string): string {
  if (network === 'none') return 'It has no network.';
  if (network === 'bridge') return 'It can reach the internet.';
  return `Its network is ${network}.`;
}
