import { endpointUrl } from '../config/endpoint.ts';
import { inferTransport } from '../config/infer-transport.ts';
import type { PlannedServer } from '../config/planned-server.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { LongshoreError } from '../core/errors.ts';
import type { ServerSpec } from '../runners/index.ts';

/** What the runner of a planned server is given, once the references of its config are resolved. Pure. */
export function serverSpec(planned: PlannedServer, resolved: MCPServerConfig): ServerSpec {
  const { command = '', args = [], env = {}, cwd } = resolved;
  switch (planned.kind) {
    case 'process':
      return { kind: 'process', command, args, env, ...(cwd !== undefined && { cwd }) };
    case 'docker-run': {
      const { name, allowUnsafe = false } = planned;
      return { kind: 'docker-run', name, command, args, env, allowUnsafe, ...(cwd !== undefined && { cwd }) };
    }
    case 'docker-image':
      return { kind: 'docker-image', image: planned.image ?? '', args, env, ...planned.container };
    case 'remote':
      return remote(resolved);
    case 'gateway':
      return { kind: 'gateway', registry: planned.gateway ?? {}, secrets: env };
  }
}

function remote(config: MCPServerConfig): ServerSpec {
  const transport = inferTransport(config);
  if (transport === 'stdio') throw new LongshoreError('bad-config', 'A server with an endpoint cannot speak stdio.');
  return {
    kind: 'remote',
    url: endpointUrl(config.endpoint ?? '').href,
    transport,
    inferred: config.transport === undefined,
    headers: config.headers ?? {},
  };
}
