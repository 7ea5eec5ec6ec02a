import { z } from 'zod';
import type { CliOptions, DockerCli } from './docker-cli.ts';
import { dockerFailure, saysNoSuchContainer } from './docker-failure.ts';
import { inspectedRows } from './inspected-rows.ts';

/** What the engine knows of one container, as far as we need it. */
export interface ContainerFacts {
  readonly id: string;
  readonly name: string;
  /** The reference it was started with. */
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
  readonly running: boolean;
  readonly exitCode: number;
  /** Bytes that it may use; 0 is no limit. */
  readonly memory: number;
  /** True where the kernel ended it for its memory. */
  readonly outOfMemory: boolean;
  /** The engine's own words about a start that failed. */
  readonly error: string;
  readonly ports: Readonly<Record<string, readonly { readonly hostAddress: string; readonly hostPort: number }[]>>;
}

const bindings = z.array(z.object({ HostIp: z.string(), HostPort: z.string() })).nullish();

const inspected = z
  .object({
    Id: z.string(),
    Name: z.string(),
    Config: z.object({ Image: z.string(), Labels: z.record(z.string(), z.string()).nullish() }),
    State: z.object({
      Status: z.string(),
      Running: z.boolean(),
      ExitCode: z.number(),
      OOMKilled: z.boolean().optional(),
      Error: z.string().optional(),
    }),
    HostConfig: z.object({ Memory: z.number().nullish() }).nullish(),
    NetworkSettings: z.object({ Ports: z.record(z.string(), bindings).nullish() }).optional(),
  })
  .transform(
    (raw): ContainerFacts => ({
      id: raw.Id,
      name: raw.Name.replace(/^\//, ''),
      image: raw.Config.Image,
      labels: raw.Config.Labels ?? {},
      state: raw.State.Status,
      running: raw.State.Running,
      exitCode: raw.State.ExitCode,
      memory: raw.HostConfig?.Memory ?? 0,
      outOfMemory: raw.State.OOMKilled ?? false,
      error: raw.State.Error ?? '',
      ports: Object.fromEntries(
        Object.entries(raw.NetworkSettings?.Ports ?? {}).map(([port, hosts]) => [
          port,
          (hosts ?? []).map(({ HostIp, HostPort }) => ({ hostAddress: HostIp, hostPort: Number(HostPort) })),
        ]),
      ),
    }),
  );

/** What the engine knows of a container, by id or exact name; `undefined` if it has none such. */
export async function inspectContainer(
  cli: DockerCli,
  idOrName: string,
  options: CliOptions,
): Promise<ContainerFacts | undefined> {
  const result = await cli.run(['container', 'inspect', '--format', '{{json .}}', idOrName], options);
  if (result.code === 0) return inspectedRows(inspected, result.stdout)[0];
  if (saysNoSuchContainer(result.stderr)) return undefined;
  throw dockerFailure(`Looking at the container ${idOrName}`, result);
}

/** Every container with all of these labels, in any state: `created` ones too, which `--rm` never removes. */
export async function listContainers(
  cli: DockerCli,
  labels: readonly string[],
  options: CliOptions,
): Promise<readonly ContainerFacts[]> {
  const filters = labels.flatMap(label => ['--filter', `label=${label}`]);
  const listed = await cli.run(['ps', '--all', '--quiet', '--no-trunc', ...filters], options);
  if (listed.code !== 0) throw dockerFailure('Listing our containers', listed);
  const ids = listed.stdout.split('\n').filter(id => id !== '');
  if (ids.length === 0) return [];
  const result = await cli.run(['container', 'inspect', '--format', '{{json .}}', ...ids], options);
  // One that went away between the two commands makes the second one fail; the others are printed all the same.
  if (result.code !== 0 && !saysNoSuchContainer(result.stderr))
    throw dockerFailure('Looking at our containers', result);
  return inspectedRows(inspected, result.stdout);
}
