import type { Dispatcher } from 'undici';
import { asLongshoreError, LongshoreError } from '../../core/errors.ts';
import type { DockerCli } from '../../docker/docker-cli.ts';
import { readDockerCatalog, unreadable } from '../read-docker-catalog.ts';
import { readArtifact } from './oci-artifact.ts';
import type { CatalogSource, ReadOptions } from './source.ts';

/** What reading Docker's catalog needs; times in milliseconds. */
export interface DockerSourceDeps {
  /** `KESTREL_MCP_DOCKER_CATALOG` (R72). */
  readonly reference: string;
  /** The docker command; rejects where there is none. */
  readonly docker: () => Promise<DockerCli>;
  readonly dispatcherFor: (url: URL) => Dispatcher;
  /** For the command or the registry, pulling included (R73). */
  readonly limit: number;
  /** Takes secrets out of what the command wrote. */
  readonly hide: (text: string) => string;
}

const mostBytes = 64 * 1024 * 1024;
const probeMilliseconds = 20_000;

/**
 * Docker's catalog: by `docker mcp catalog show` where that plugin is installed (R71), else straight from its registry.
 * Readers at the same time share one reading (R73).
 */
export function dockerSource(deps: DockerSourceDeps): CatalogSource {
  const { reference } = deps;
  return {
    id: 'docker',
    place: reference,
    isLocal: false,
    async read(options) {
      const late = AbortSignal.timeout(deps.limit);
      const limited = AbortSignal.any([options.signal, late]);
      try {
        const cli = await pluginOf(deps, limited);
        const value = cli
          ? await shown(deps, cli, { ...options, signal: limited })
          : await readArtifact(reference, { dispatcherFor: deps.dispatcherFor, signal: limited, mostBytes });
        return readDockerCatalog(value, 'docker', place(reference));
      } catch (error) {
        if (options.signal.aborted) throw cancelled(error);
        throw failure(deps, late.aborted, error);
      }
    },
  };
}

const place = (reference: string): string => `docker (${reference})`;

/** The command, if it has the plugin: `docker mcp version` fails without it, where `docker mcp --help` does not. */
async function pluginOf({ docker }: DockerSourceDeps, signal: AbortSignal): Promise<DockerCli | undefined> {
  try {
    const cli = await docker();
    const { code, stdout } = await cli.run(['mcp', 'version'], { deadline: probeMilliseconds, signal });
    return code === 0 && /^v?\d|HEAD/.test(stdout.trim()) ? cli : undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

async function shown(deps: DockerSourceDeps, cli: DockerCli, { signal, onProgress }: ReadOptions): Promise<unknown> {
  // Without --pull the plugin never reads a catalog that it does not have yet.
  const args = ['mcp', 'catalog', 'show', deps.reference, '--format', 'json', '--pull', 'missing'];
  const { code, stdout, stderr } = await cli.run(args, {
    deadline: deps.limit,
    signal,
    ...(onProgress && { onLine: (line: string) => line.startsWith('{') || onProgress(line) }),
  });
  const said = deps.hide(stderr.trim()).slice(0, 500);
  if (code !== 0) throw new Error(`docker mcp catalog show ended with ${code}: ${said}`);
  try {
    return JSON.parse(stdout) as unknown;
  } catch {
    throw new Error(`docker mcp catalog show printed no JSON${said === '' ? '' : `: ${said}`}`);
  }
}

function cancelled(cause: unknown): LongshoreError {
  return new LongshoreError('cancelled', 'Reading the catalog was cancelled.', { cause });
}

function failure({ reference, limit }: DockerSourceDeps, isLate: boolean, error: unknown): LongshoreError {
  const known = asLongshoreError(error);
  if (known.code === 'catalog-unreadable') return known;
  const why = isLate || known.code === 'timeout' ? `it did not come within ${limit / 1000} s` : sentence(known);
  return unreadable(place(reference), why, error);
}

/** The deepest cause says what the network said. */
function sentence(error: Error): string {
  let at: Error = error;
  while (at.cause instanceof Error) at = at.cause;
  return at.message.replace(/\.$/, '').slice(0, 600);
}
