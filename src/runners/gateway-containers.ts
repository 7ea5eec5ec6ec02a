import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Holding } from '../core/ports/ledger.ts';
import type { DockerCli } from '../docker/docker-cli.ts';
import { linkEngine } from './engine-link.ts';
import { removeProcesses } from './remove-processes.ts';
import type { Surroundings } from './runner.ts';

const run = promisify(execFile);
const deadline = 30_000;
/** The engine tells whole seconds. */
const second = 1_000;

/** A gateway that has ended: which servers it had, and since when; milliseconds since 1970. */
export interface EndedGateway {
  readonly names: readonly string[];
  readonly since: number;
}

/**
 * Removes containers of an ended gateway of ours that outlived it: a server that is deaf to the end of its input does. The
 * gateway labels them with the server's name and nobody's own, so they are ours where they appeared since, and no gateway is
 * left that might have them. Otherwise they are only told. True if there were any. Never rejects: nothing of Longshore is in
 * them, and whoever ends a gateway must not fail for them.
 */
export async function removeGatewayContainers(
  cli: DockerCli,
  { names, since }: EndedGateway,
  { log, platform }: Pick<Surroundings, 'log' | 'platform'>,
): Promise<boolean> {
  try {
    const left = await containersSince(cli, names, since);
    if (left.length === 0) return false;
    if (await runsAnyGateway(platform)) {
      log.warn(
        { containers: left },
        'Containers of a gateway are left; another one runs, which may have them. Look at them.',
      );
      return false;
    }
    const { code, stderr } = await cli.run(['rm', '-f', ...left], { deadline });
    if (code !== 0)
      log.warn({ containers: left, stderr: stderr.slice(0, 500) }, 'Containers of the gateway could not be removed.');
    return code === 0;
  } catch (error) {
    log.warn({ error: String(error) }, 'Whether containers of the gateway are left could not be found out.');
    return false;
  }
}

/** Ends what a row of the ledger stands for: the gateway's processes, and the containers that outlived them. */
export async function removeGateway(holding: Holding, around: Surroundings): Promise<boolean> {
  const wasThere = await removeProcesses(holding, around);
  const names = holding.name?.split(',') ?? [];
  const link = await linkEngine({ program: 'docker', globals: [], env: {} }, around).catch(() => undefined);
  if (link === undefined) return wasThere;
  const ended = { names, since: holding.createdAt };
  return (await removeGatewayContainers(link.cli, ended, around)) || wasThere;
}

async function containersSince(cli: DockerCli, names: readonly string[], since: number): Promise<readonly string[]> {
  const format = '{{.ID}}\t{{.Label "docker-mcp-name"}}\t{{.CreatedAt}}';
  const args = ['ps', '-a', '--no-trunc', '--filter', 'label=docker-mcp=true', '--format', format];
  const { code, stdout } = await cli.run(args, { deadline });
  if (code !== 0) throw new Error('the engine does not answer');
  return stdout.split('\n').flatMap(line => {
    const [id = '', name = '', created = ''] = line.split('\t');
    // `2026-12-01 13:14:57 +0000 UTC`: the zone's name behind its offset is no date.
    const at = Date.parse(created.replace(/ [A-Z]+$/, ''));
    return names.includes(name) && at >= since - second ? [id] : [];
  });
}

async function runsAnyGateway(platform: NodeJS.Platform): Promise<boolean> {
  // Nobody can be asked there; so nothing is taken for ours.
  if (platform === 'win32') return true;
  const { stdout } = await run('ps', ['-axo', 'args='], { maxBuffer: 64 * 1024 * 1024 });
  return /\bmcp\b.*\bgateway run\b/.test(stdout);
}
