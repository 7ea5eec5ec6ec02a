import type { ImageFacts } from '../docker/images.ts';
import type { HttpHint } from './transport/startup-url.ts';

/** What an image says about itself, before it was ever started. */
export interface ImageHints {
  /** Its author says that it serves MCP over HTTP: `dev.longshore.transport=streamable-http`, with `.port` and `.path`. */
  readonly labelled: readonly HttpHint[];
  /** It exposes these ports for whatever reason. */
  readonly exposed: readonly HttpHint[];
}

const defaultPath = '/mcp';

/** Reads the image's labels and EXPOSE; hints only, as every hint. */
export function imageHints({ labels, exposedPorts }: Pick<ImageFacts, 'labels' | 'exposedPorts'>): ImageHints {
  const exposed = exposedPorts.map(port => ({ port, path: defaultPath }));
  const transport = labels['dev.longshore.transport'];
  if (transport === 'stdio') return { labelled: [], exposed: [] };
  if (transport !== 'streamable-http') return { labelled: [], exposed };
  const port = Number(labels['dev.longshore.port']);
  const path = labels['dev.longshore.path'];
  const isPort = Number.isInteger(port) && port > 0 && port < 65_536;
  const labelled = isPort ? [{ port, path: path?.startsWith('/') ? path : defaultPath }] : exposed;
  return { labelled, exposed };
}
