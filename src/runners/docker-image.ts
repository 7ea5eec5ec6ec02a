import { z } from 'zod';
import { LongshoreError } from '../core/errors.ts';
import { sha256 } from '../core/ids.ts';
import { type ImageLimits, imageArgs, isVolumeName } from '../docker/image-args.ts';
import { imageServerId, normaliseImage } from '../docker/image-reference.ts';
import { bindMount } from '../docker/mounts.ts';
import { localhostNotes } from '../docker/shape-run.ts';
import { containerBudget } from './container-budget.ts';
import type { ContainerPlan } from './container-plan.ts';
import { openContainerServer } from './container-server.ts';
import { linkEngine } from './engine-link.ts';
import { hideSecrets } from './environment.ts';
import { containerIsolation, placeholders } from './explain-container.ts';
import { nothingToExplain } from './explanation.ts';
import { realRisks } from './host-paths.ts';
import { removeContainers } from './remove-containers.ts';
import type { Runner, Surroundings } from './runner.ts';

/** An image that Longshore runs itself (D2). References in `env` are resolved when it starts. */
export const dockerImageSpec = z.readonly(
  z.object({
    kind: z.literal('docker-image'),
    image: z.string().min(1),
    /** Behind the image. */
    args: z.readonly(z.array(z.string())),
    env: z.readonly(z.record(z.string(), z.string())),
    network: z.exactOptional(z.enum(['bridge', 'none'])),
    mounts: z.exactOptional(z.readonly(z.array(z.string()))),
    user: z.exactOptional(z.string()),
    memory: z.exactOptional(z.string()),
    cpus: z.exactOptional(z.number().positive()),
    pids: z.exactOptional(z.int().positive()),
    /** Where a catalog says that it serves HTTP: a hint as any other. */
    httpPort: z.exactOptional(z.int().min(1).max(65_535)),
  }),
);

/** See `dockerImageSpec`. */
export type DockerImageSpec = z.infer<typeof dockerImageSpec>;

/**
 * Runs an image hardened, under an identity that is made of agent and image (R55), over stdio or over HTTP at `/mcp`
 * (R46). A start that failed leaves its container, stopped, until the server is unloaded (R58). Rejects with
 * `bad-config`, `unsafe-refused`, `command-not-found`, `docker-unavailable`, `image-not-found`, `ownership-mismatch`,
 * `in-use-by-other-home`, `failed-to-start`, `timeout`, `cancelled`, a failed negotiation's code or `close-failed`.
 */
export const dockerImageRunner: Runner<DockerImageSpec> = {
  spec: dockerImageSpec,
  olderSide: 'next-start',
  reclaim: { kind: 'container', remove: removeContainers },
  budget: containerBudget,
  identity: ({ env, ...server }) => ({ server, credential: env }),
  async explain(spec, agentId) {
    const image = normaliseImage(spec.image);
    const ours = { name: imageServerId(agentId, image), ...placeholders, publish: [] };
    const asked = { image, args: spec.args, envNames: Object.keys(spec.env) };
    const argv = imageArgs(asked, spec, { user: '' }, ours);
    return {
      ...nothingToExplain,
      kind: spec.kind,
      command: ['docker', ...argv],
      environment: asked.envNames,
      isolation: [
        'No capabilities, no new privileges, a read-only root, limits on processes, memory and processors.',
        ...containerIsolation('docker', argv),
      ],
      risks: [],
      notes: ['If the image serves HTTP, its port is published on 127.0.0.1 under a number that the engine chooses.'],
    };
  },
  async open(spec, request) {
    const { around, agentId, signal, deadlines } = request;
    const image = normaliseImage(spec.image);
    const id = imageServerId(agentId, image);
    const { args, env } = spec;
    const limits: ImageLimits = spec;
    await refuseUnsafeMounts(limits, around);
    request.onPhase('looking-up', image);
    const link = await linkEngine({ program: 'docker', globals: [], env: {} }, around);
    const facts = await around.containers.images.provide(link.cli, {
      reference: image,
      policy: 'missing',
      deadline: deadlines.imagePull,
      signal,
      marker: around.watchdog.markerEnv(around.randomId()),
      onProgress: line => request.onPhase('pulling', line),
    });
    const plan: ContainerPlan = {
      kind: 'docker-image',
      link,
      image,
      facts,
      startDigest: sha256(JSON.stringify([facts.id, spec])),
      names: { probe: id, managed: id },
      args: ours => imageArgs({ image, args, envNames: Object.keys(env) }, limits, facts, ours),
      env,
      cwd: undefined,
      hide: hideSecrets(env),
      pathsOf: () => ['/mcp'],
      endsFirst: 'session',
      keepsFailed: true,
      expected: spec.httpPort === undefined ? [] : [{ port: spec.httpPort, path: '/mcp' }],
      diagnostics: localhostNotes([...args, ...Object.values(env)]),
    };
    return openContainerServer(plan, request);
  },
};

/** No tick allows them here: who wants such a mount writes a docker run command. Throws `unsafe-refused`. */
async function refuseUnsafeMounts({ mounts = [] }: ImageLimits, around: Surroundings): Promise<void> {
  const sources = mounts.map(mount => /^((?:[A-Za-z]:)?[^:]*)/.exec(mount)?.[0] ?? '');
  const folders = sources.filter(source => !isVolumeName(source));
  const flags = folders.map(source => {
    return { name: '--mount', spelled: '--mount', value: bindMount(source, '/x', false) };
  });
  const [risk] = await realRisks(flags, undefined, around);
  if (risk === undefined) return;
  const index = flags.findIndex(({ value }) => risk.flag.endsWith(value));
  throw new LongshoreError(
    'unsafe-refused',
    `The mount of ${folders[index]} cannot be given to an image: this server then ${risk.why}. Mount a smaller folder.`,
  );
}
