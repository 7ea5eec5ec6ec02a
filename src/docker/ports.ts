import { LongshoreError } from '../core/errors.ts';
import { type ContainerFacts, inspectContainer } from './containers.ts';
import type { CliOptions, DockerCli } from './docker-cli.ts';

/**
 * The port of this machine's loopback behind which the container's TCP port is; the engine chose it, so it is read
 * back (R11). Rejects with `failed-to-start` if the container is gone or does not publish that port on loopback.
 */
export async function publishedPort(
  cli: DockerCli,
  idOrName: string,
  containerPort: number,
  options: CliOptions,
): Promise<number> {
  const facts = await inspectContainer(cli, idOrName, options);
  if (facts === undefined || !facts.running) {
    throw new LongshoreError(
      'failed-to-start',
      `The container ${idOrName} ended before its port ${containerPort} could be used.`,
    );
  }
  const port = loopbackPort(facts, containerPort);
  if (port === undefined) {
    throw new LongshoreError(
      'failed-to-start',
      `The container does not publish its port ${containerPort} on this machine. Does its command choose a network (--network host, none) that has no ports?`,
    );
  }
  return port;
}

/** That port in facts that are at hand; `undefined` if there is none on loopback. */
export function loopbackPort(facts: ContainerFacts, containerPort: number): number | undefined {
  const hosts = facts.ports[`${containerPort}/tcp`] ?? [];
  return hosts.find(({ hostAddress }) => hostAddress === '127.0.0.1')?.hostPort;
}
