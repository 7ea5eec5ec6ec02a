import { LongshoreError } from '../core/errors.ts';
import type { Diagnostic, TransportName } from '../core/words.ts';
import { endpointUrl } from './endpoint.ts';
import { previewReferences } from './references.ts';
import type { MCPServerConfig } from './types.ts';

/** What the transport is inferred from. */
export type TransportFacts = Pick<MCPServerConfig, 'transport' | 'command' | 'endpoint'>;

/** True if a field says something: blank strings count as absent (R13). */
export function isSaid(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

function pathOf(endpoint: string): string {
  return endpointUrl(previewReferences(endpoint)).pathname.toLowerCase();
}

/**
 * The transport of a server (R13, R14): the one that is set, else stdio for a command, else by the endpoint's path:
 * streamable-http where it contains `/mcp`, sse otherwise. Host and query say nothing. Throws `bad-config` if there is
 * neither command nor endpoint.
 */
export function inferTransport(config: TransportFacts): TransportName {
  if (isSaid(config.transport)) return config.transport;
  if (isSaid(config.command)) return 'stdio';
  if (!isSaid(config.endpoint)) {
    throw new LongshoreError('bad-config', 'The server needs a command to start or an endpoint to connect to.');
  }
  return pathOf(config.endpoint).includes('/mcp') ? 'streamable-http' : 'sse';
}

/**
 * What is odd about how a server is to be reached: `ambiguous` where it has a command and an endpoint,
 * `suspicious-transport` where the set transport does not look like the endpoint. What is set still wins (R13).
 */
export function transportDiagnostics(config: TransportFacts): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  if (isSaid(config.command) && isSaid(config.endpoint)) {
    const unused = inferTransport(config) === 'stdio' ? 'endpoint' : 'command';
    found.push({
      code: 'ambiguous',
      message: `Both command and endpoint are set; the ${unused} is not used. Remove it, or set transport to choose.`,
    });
  }
  if (isSaid(config.endpoint) && isSaid(config.transport) && config.transport !== 'stdio') {
    const path = pathOf(config.endpoint);
    const looksLike = path.includes('/mcp') ? 'streamable-http' : /\/sse\/?$/.test(path) ? 'sse' : config.transport;
    if (looksLike !== config.transport) {
      found.push({
        code: 'suspicious-transport',
        message: `transport is ${config.transport}, but the endpoint's path looks like ${looksLike}. Remove transport to let it be inferred.`,
      });
    }
  }
  return found;
}
