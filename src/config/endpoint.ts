import { LongshoreError } from '../core/errors.ts';

/**
 * An endpoint as a URL: without a scheme it is `http://` (R13). References must be resolved or previewed before.
 * Throws `bad-config` for what is no http or https address, without repeating it.
 */
export function endpointUrl(endpoint: string): URL {
  const text = endpoint.trim();
  const said = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  const scheme = said ?? 'http';
  if (scheme === 'ws' || scheme === 'wss') {
    throw new LongshoreError(
      'bad-config',
      'endpoint must be an http or https address: websocket is no transport of MCP, servers are reached by streamable-http.',
    );
  }
  const url = URL.parse(said === undefined ? `http://${text}` : text);
  if (url === null || (scheme !== 'http' && scheme !== 'https')) {
    throw new LongshoreError('bad-config', 'endpoint must be an http or https address, e.g. https://example.com/mcp.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new LongshoreError(
      'bad-config',
      'endpoint must not hold a user name or password; send them as a header, e.g. Authorization.',
    );
  }
  return url;
}
