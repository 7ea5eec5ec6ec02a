import { LongshoreError } from '../core/errors.ts';
import { type AgentId, sha256 } from '../core/ids.ts';

/** A reference taken apart; the host is told from a folder as Docker does: it has a dot or a colon, or is `localhost`. */
export interface ImageReference {
  readonly host: string | undefined;
  /** `mcp/time`. */
  readonly path: string;
  readonly tag: string | undefined;
  /** `sha256:…` */
  readonly digest: string | undefined;
}

/** Takes a reference apart. Throws `usage` for what Docker would not accept, whitespace included (R70). */
export function parseImage(reference: string): ImageReference {
  const [named = '', digest, ...rest] = reference.split('@');
  const slash = named.lastIndexOf('/');
  const colon = named.indexOf(':', slash + 1);
  const name = colon === -1 ? named : named.slice(0, colon);
  const tag = colon === -1 ? undefined : named.slice(colon + 1);
  const first = name.split('/', 1)[0] ?? '';
  const hasHost = name.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  const path = hasHost ? name.slice(first.length + 1) : name;
  const valid =
    rest.length === 0 &&
    (!hasHost || /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)(:\d+)?$/.test(first)) &&
    /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/.test(path) &&
    (tag === undefined || /^\w[\w.-]{0,127}$/.test(tag)) &&
    (digest === undefined || /^[a-z0-9]+:[0-9a-f]{32,}$/.test(digest));
  if (!valid) {
    throw new LongshoreError(
      'usage',
      `${JSON.stringify(reference)} is not an image reference such as mcp/time or ghcr.io/org/name:tag.`,
    );
  }
  return { host: hasHost ? first : undefined, path, tag, digest };
}

/** The reference with its tag explicit: `:latest` if it has neither tag nor digest (R55). Throws `usage`. */
export function normaliseImage(reference: string): string {
  const { tag, digest } = parseImage(reference);
  return tag === undefined && digest === undefined ? `${reference}:latest` : reference;
}

/** The whole name of an image, its registry, library folder and tag explicit: `docker.io/library/time:latest`. Throws `usage`. */
export function fullImage(reference: string): string {
  const { host, path, tag, digest } = parseImage(reference);
  const isHub = host === undefined || host === 'index.docker.io' || host === 'docker.io';
  const name = isHub ? `docker.io/${path.includes('/') ? path : `library/${path}`}` : `${host}/${path}`;
  const version = tag === undefined && digest === undefined ? ':latest' : tag === undefined ? '' : `:${tag}`;
  return `${name}${version}${digest === undefined ? '' : `@${digest}`}`;
}

/** The identity of an agent's `docker-image` server, also its container's name: `mcp-<slug>-<16 hex>` (R55). */
export function imageServerId(agentId: AgentId, reference: string): string {
  const image = normaliseImage(reference);
  const slug = image
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 32)
    .replace(/^-+|-+$/g, '');
  return `mcp-${slug}-${sha256(`${agentId}\0${image}`).slice(0, 16)}`;
}

/** The server key that an image suggests: without host and `:latest`, `/` as `-`; a digest is cut to 12 characters. */
export function imageServerKey(reference: string): string {
  const { path, tag, digest } = parseImage(reference);
  const version = digest === undefined ? (tag === 'latest' ? undefined : tag) : digest.replace(/^.*:/, '').slice(0, 12);
  return [path, version]
    .filter(part => part !== undefined)
    .join('-')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 64)
    .replace(/-+$/, '');
}
