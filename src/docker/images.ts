import { z } from 'zod';
import { LongshoreError } from '../core/errors.ts';
import type { CliOptions, DockerCli } from './docker-cli.ts';
import { dockerFailure, saysNoSuchImage } from './docker-failure.ts';
import { inspectedRows } from './inspected-rows.ts';
import type { PullPolicy } from './shape-run.ts';

/** What the engine knows of a local image, as far as we need it. */
export interface ImageFacts {
  /** `sha256:…` of its configuration: changes with anything in the image. */
  readonly id: string;
  /** TCP ports that it says it serves, ascending. */
  readonly exposedPorts: readonly number[];
  readonly labels: Readonly<Record<string, string>>;
  /** `linux/amd64`. */
  readonly platform: string;
  /** As the image runs without `--user`; '' is root. */
  readonly user: string;
}

const inspected = z
  .object({
    Id: z.string(),
    Os: z.string(),
    Architecture: z.string(),
    Config: z
      .object({
        ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
        Labels: z.record(z.string(), z.string()).nullish(),
        User: z.string().nullish(),
      })
      .nullish(),
  })
  .transform(
    (raw): ImageFacts => ({
      id: raw.Id,
      exposedPorts: Object.keys(raw.Config?.ExposedPorts ?? {})
        .flatMap(port => /^(\d+)(?:\/tcp)?$/.exec(port)?.slice(1).map(Number) ?? [])
        .sort((a, b) => a - b),
      labels: raw.Config?.Labels ?? {},
      platform: `${raw.Os}/${raw.Architecture}`,
      user: raw.Config?.User ?? '',
    }),
  );

/** What the engine knows of an image, or `undefined` if it is not here; nothing is pulled (R75). */
export async function inspectImage(
  cli: DockerCli,
  reference: string,
  options: CliOptions,
): Promise<ImageFacts | undefined> {
  const result = await cli.run(['image', 'inspect', '--format', '{{json .}}', reference], options);
  if (result.code === 0) return inspectedRows(inspected, result.stdout)[0];
  if (saysNoSuchImage(result.stderr)) return undefined;
  throw dockerFailure(`Looking for the image ${reference}`, result);
}

/** One wish for an image. */
export interface ImageRequest {
  readonly reference: string;
  readonly policy: PullPolicy;
  readonly platform?: string | undefined;
  /** Milliseconds that a pull may take; a stalled registry would take for ever (row 9). */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** In the environment of a pull, which would outlive us by minutes (R5). */
  readonly marker: Readonly<Record<string, string>>;
  /** What the pull is doing, for a person. */
  readonly onProgress?: (line: string) => void;
}

/** Sees to it that images are here before a container needs them: a phase of its own (R49). */
export interface ImageStore {
  /** The image, pulled if need be. One pull serves everyone who wants the same image; it ends when nobody does any more. */
  provide(cli: DockerCli, request: ImageRequest): Promise<ImageFacts>;
}

interface Pull {
  readonly done: Promise<void>;
  readonly listeners: Set<(line: string) => void>;
  readonly abort: AbortController;
  waiting: number;
}

/** Milliseconds for a look at local images. */
const lookDeadline = 20_000;

/** Keeps the pulls that are under way. */
export function createImageStore(): ImageStore {
  const pulls = new Map<string, Pull>();
  return {
    async provide(cli, request) {
      const { reference, policy, platform, signal } = request;
      const look = { deadline: lookDeadline, signal };
      const local = await inspectImage(cli, reference, look);
      if (local !== undefined && (policy === 'never' || (policy === 'missing' && fits(local, platform)))) return local;
      if (policy === 'never') throw notHere(reference);
      await joinPull(pulls, cli, request);
      const pulled = await inspectImage(cli, reference, look);
      if (pulled === undefined) throw notHere(reference);
      return pulled;
    },
  };
}

function fits({ platform }: ImageFacts, wanted: string | undefined): boolean {
  const [, architecture = ''] = platform.split('/');
  return wanted === undefined || wanted.split('/').includes(architecture);
}

function notHere(reference: string): LongshoreError {
  return new LongshoreError('image-not-found', `The image ${reference} is not on this machine. Pull it first.`);
}

async function joinPull(pulls: Map<string, Pull>, cli: DockerCli, request: ImageRequest): Promise<void> {
  const { reference, platform, signal, onProgress } = request;
  const key = [cli.program, ...cli.globals, cli.env.DOCKER_HOST, platform, reference].join('\0');
  const pull = pulls.get(key) ?? startPull(pulls, key, cli, request);
  pull.waiting += 1;
  if (onProgress) pull.listeners.add(onProgress);
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(new LongshoreError('cancelled', `Pulling ${reference} was cancelled.`));
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    await Promise.race([pull.done, left.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
    if (onProgress) pull.listeners.delete(onProgress);
    pull.waiting -= 1;
    if (pull.waiting === 0) {
      // Whoever comes now starts a new one instead of joining one that is being ended.
      if (pulls.get(key) === pull) pulls.delete(key);
      pull.abort.abort();
      // Whoever cancels learns of it only when the CLI's process is gone (R50); its own outcome matters to nobody now.
      await pull.done.catch(() => {});
    }
  }
}

function startPull(pulls: Map<string, Pull>, key: string, cli: DockerCli, request: ImageRequest): Pull {
  const { reference, platform, deadline, marker } = request;
  const listeners = new Set<(line: string) => void>();
  const abort = new AbortController();
  const args = ['pull', ...(platform === undefined ? [] : ['--platform', platform]), reference];
  const done = cli
    .run(args, {
      deadline,
      signal: abort.signal,
      marker,
      onLine: line => {
        for (const listener of listeners) listener(line);
      },
    })
    .then(result => {
      if (result.code !== 0) throw dockerFailure(`Pulling ${reference}`, result);
    })
    .finally(() => {
      if (pulls.get(key) === pull) pulls.delete(key);
    });
  const pull: Pull = { done, listeners, abort, waiting: 0 };
  pulls.set(key, pull);
  return pull;
}
