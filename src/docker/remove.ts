import type { Clock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import { inspectContainer } from './containers.ts';
import type { DockerCli } from './docker-cli.ts';
import { dockerFailure, saysNoSuchContainer, saysRemovalInProgress } from './docker-failure.ts';

/** How much time a removal may take, and who may give up on it. */
export interface RemoveOptions {
  /** Milliseconds in all. */
  readonly budget: number;
  readonly signal?: AbortSignal;
  readonly clock: Clock;
}

/** What a removal found. */
export interface Removed {
  /** True if there was nothing to remove any more: success as well (R2). */
  readonly alreadyGone: boolean;
}

/** Milliseconds between two looks at a container that someone else is removing. */
const pollEvery = 150;

/**
 * The stop (R1): `docker rm -f`, then a look that it is gone. By id where it is known, else by exact name. Resolves
 * only when the engine says that there is no such container; rejects with `docker-unavailable`, `docker-failed`,
 * `timeout` or `cancelled` while it may still be there.
 */
export async function removeContainer(cli: DockerCli, idOrName: string, options: RemoveOptions): Promise<Removed> {
  const { budget, signal, clock } = options;
  const end = clock.now() + budget;
  const left = () => ({ deadline: Math.max(1, end - clock.now()), ...(signal ? { signal } : {}) });
  // `-v`: the anonymous volumes too, as `--rm` would have done.
  const result = await cli.run(['rm', '-f', '-v', idOrName], left());
  // CLI 28 ends with code 0 for a missing container, older ones with 1.
  if (saysNoSuchContainer(result.stderr)) return { alreadyGone: true };
  if (result.code !== 0 && !saysRemovalInProgress(result.stderr)) {
    throw dockerFailure(`Removing the container ${idOrName}`, result);
  }
  while ((await inspectContainer(cli, idOrName, left())) !== undefined) {
    if (clock.now() + pollEvery >= end) {
      throw new LongshoreError(
        'timeout',
        `The container ${idOrName} was still there ${budget / 1000} s after its removal was asked for. Try again, or look at it with docker inspect.`,
      );
    }
    await clock.sleep(pollEvery, signal);
  }
  return { alreadyGone: false };
}
