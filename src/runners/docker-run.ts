import { z } from 'zod';
import { LongshoreError } from '../core/errors.ts';
import { type Digest, sha256 } from '../core/ids.ts';
import type { Diagnostic } from '../core/words.ts';
import { expandPath } from '../docker/expand-path.ts';
import { normaliseImage } from '../docker/image-reference.ts';
import type { ImageFacts } from '../docker/images.ts';
import { parseRun, printGlobals, type RunCommand } from '../docker/parse-run.ts';
import { type Risk, refuseRisks } from '../docker/run-risks.ts';
import { type ReviewedRun, reviewRun, shapeRun } from '../docker/shape-run.ts';
import { containerBudget } from './container-budget.ts';
import type { ContainerPlan } from './container-plan.ts';
import { openContainerServer } from './container-server.ts';
import { engineEnvironment, linkEngine } from './engine-link.ts';
import { hideSecrets } from './environment.ts';
import { containerIsolation, placeholders } from './explain-container.ts';
import { nothingToExplain } from './explanation.ts';
import { missingFolders, realRisks } from './host-paths.ts';
import { removeContainers } from './remove-containers.ts';
import type { Opened, Runner, Surroundings } from './runner.ts';
import type { HttpHint } from './transport/startup-url.ts';

/** A user's own `docker run …` (D1). References in `env` are resolved when it starts. */
export const dockerRunSpec = z.readonly(
  z.object({
    kind: z.literal('docker-run'),
    /** The configured name, for the containers' names (R18). */
    name: z.string().min(1),
    command: z.string().min(1),
    args: z.readonly(z.array(z.string())),
    env: z.readonly(z.record(z.string(), z.string())),
    cwd: z.exactOptional(z.string().min(1)),
    /** Flags that weaken isolation may be used. */
    allowUnsafe: z.boolean(),
  }),
);

/** See `dockerRunSpec`. */
export type DockerRunSpec = z.infer<typeof dockerRunSpec>;

/** What can be said of a docker-run server without starting anything. */
export interface DockerRunReview extends ReviewedRun {
  readonly risks: readonly Risk[];
}

/** Looks at a command: what is taken over, what weakens isolation. Reads links on disk, and nothing else. */
export async function reviewDockerRun(spec: DockerRunSpec, around: Surroundings): Promise<DockerRunReview> {
  const run = parseRun(spec.command, spec.args);
  if (run === undefined) {
    throw new LongshoreError('bad-config', `${spec.command} ${spec.args.join(' ')} is not a docker run command.`);
  }
  const folders = { home: around.homeDir, cwd: spec.cwd ?? process.cwd() };
  const reviewed = reviewRun({ ...run, flags: run.flags.map(flag => expandPath(flag, folders)) }, spec.env);
  return { ...reviewed, risks: await realRisks(reviewed.run.flags, spec.cwd, around, spec.env) };
}

/**
 * Runs the user's command with what we must own taken over, over stdio or HTTP, whichever the image speaks (R6-R10).
 * Rejects with `bad-config`, `unsafe-refused`, `command-not-found`, `docker-unavailable`, `image-not-found`,
 * `name-in-use`, `failed-to-start`, `timeout`, `cancelled` or a failed negotiation's code, when all of it is gone (R50);
 * where that cannot be reached, with `close-failed`.
 */
export const dockerRunRunner: Runner<DockerRunSpec> = {
  spec: dockerRunSpec,
  olderSide: 'next-start',
  reclaim: { kind: 'container', remove: removeContainers },
  budget: containerBudget,
  identity: ({ kind, command, args, cwd, env }) => ({ server: { kind, command, args, cwd }, credential: env }),
  async explain(spec, _, around) {
    const review = await reviewDockerRun(spec, around);
    const argv = shapeRun(review, { name: `rax-probe-${spec.name}-${around.pid}`, ...placeholders, publish: [] });
    return {
      ...nothingToExplain,
      kind: spec.kind,
      command: [spec.command, ...argv],
      environment: Object.keys(spec.env),
      isolation: [...containerIsolation(spec.command, argv), 'Everything else is as its flags say.'],
      risks: review.risks,
      notes: review.notes.map(({ message }) => message),
    };
  },
  async open(spec, request) {
    const { around, agentId, signal, deadlines } = request;
    const { containers, pid, instance } = around;
    const review = await reviewDockerRun(spec, around);
    if (!spec.allowUnsafe) refuseRisks(review.risks);
    const { run } = review;
    request.onPhase('looking-up', run.image);
    const address = { program: run.program, globals: printGlobals(run), env: engineEnvironment(spec.env) };
    const link = await linkEngine(address, around);
    const facts = await containers.images.provide(link.cli, {
      reference: run.image,
      policy: review.pull,
      platform: review.platform,
      deadline: deadlines.imagePull,
      signal,
      marker: around.watchdog.markerEnv(around.randomId()),
      onProgress: line => request.onPhase('pulling', line),
    });
    const names = containers.names.take({ name: spec.name, pid, agentId, instance });
    const plan: ContainerPlan = {
      kind: 'docker-run',
      link,
      image: explicitImage(run.image),
      facts,
      startDigest: startDigest(facts, run, spec),
      names,
      args: ours => shapeRun(review, ours),
      env: spec.env,
      cwd: spec.cwd,
      hide: hideSecrets(spec.env),
      pathsOf,
      endsFirst: 'container',
      keepsFailed: false,
      expected: [],
      diagnostics: [
        ...review.notes,
        ...review.risks.map(riskNote),
        ...(await missingFolders(review.mounted, spec.cwd)),
      ],
    };
    return releasing(names.release, () => openContainerServer(plan, request));
  },
};

/** The names are free again when nothing carries them any more. */
async function releasing(release: () => void, open: () => Promise<Opened>): Promise<Opened> {
  try {
    const opened = await open();
    return {
      ...opened,
      async closeGracefully(signal) {
        await opened.closeGracefully(signal);
        release();
      },
      async closeForcibly(signal) {
        await opened.closeForcibly(signal);
        release();
      },
    };
  } catch (error) {
    if (!(error instanceof LongshoreError && error.code === 'close-failed')) release();
    throw error;
  }
}

/** The path that the hint names, then the usual one; never the legacy transport's, which no container is spoken to by. */
function pathsOf({ path }: HttpHint): readonly string[] {
  return path.endsWith('/sse') || path === '/mcp' ? ['/mcp'] : [path, '/mcp'];
}

/** Another image, argument or setting may speak otherwise. Only the digest is kept, so values may be in it. */
function startDigest({ id }: ImageFacts, { flags, command }: RunCommand, { env }: DockerRunSpec): Digest {
  return sha256(JSON.stringify([id, flags.map(({ name, value }) => [name, value]), command, env]));
}

/** For labels and lists; what is no reference (an image's id) stays as it is. */
function explicitImage(image: string): string {
  try {
    return normaliseImage(image);
  } catch {
    return image;
  }
}

function riskNote({ flag, why }: Risk): Diagnostic {
  return { code: 'weak-isolation', message: `${flag}: this server ${why}.`, data: { flag } };
}
