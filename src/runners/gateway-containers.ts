import type { Log } from '../core/ports/log.ts';
import type { DockerCli } from '../docker/docker-cli.ts';

const deadline = 30_000;

/** Ids of the containers that any gateway has of servers with these names; it labels them with nothing of ours. */
export async function containersOfGateway(cli: DockerCli, names: readonly string[]): Promise<ReadonlySet<string>> {
  const filters = ['--filter', 'label=docker-mcp=true', '--no-trunc'];
  const { code, stdout } = await cli.run(['ps', '-a', ...filters, '--format', '{{.ID}} {{.Label "docker-mcp-name"}}'], {
    deadline,
  });
  if (code !== 0) throw new Error('the engine does not answer');
  const rows = stdout.split('\n').map(line => line.trim().split(' '));
  return new Set(rows.flatMap(([id = '', name = '']) => (id !== '' && names.includes(name) ? [id] : [])));
}

/**
 * Removes what appeared under a gateway of ours and outlived it (a container whose server is deaf to the end of its input).
 * Whose they are cannot be told where another gateway runs meanwhile: then they are only told. Never rejects.
 */
export async function sweepContainers(
  cli: DockerCli,
  names: readonly string[],
  before: ReadonlySet<string> | undefined,
  log: Log,
): Promise<void> {
  if (before === undefined) return;
  try {
    const left = [...(await containersOfGateway(cli, names))].filter(id => !before.has(id));
    if (left.length === 0) return;
    if (before.size > 0) {
      log.warn(
        { containers: left },
        'Containers of a Docker MCP Gateway are left, and another gateway has such servers too: look at them.',
      );
      return;
    }
    const { code, stderr } = await cli.run(['rm', '-f', ...left], { deadline });
    if (code !== 0)
      log.warn({ containers: left, stderr: stderr.slice(0, 500) }, 'Containers of the gateway could not be removed.');
  } catch (error) {
    log.warn({ error: String(error) }, 'Whether containers of the gateway are left could not be found out.');
  }
}
