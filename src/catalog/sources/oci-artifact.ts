import { createHash } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { isLoopbackHost } from '../../core/loopback.ts';
import { parseImage } from '../../docker/image-reference.ts';

/** What is asked of a registry, and through what. */
export interface RegistryAccess {
  /** The way to a URL: directly or through the user's proxy. */
  readonly dispatcherFor: (url: URL) => Dispatcher;
  readonly signal: AbortSignal;
  /** The most bytes of one answer. */
  readonly mostBytes: number;
}

/** The registry of references that name no host. */
const defaultHost = 'registry-1.docker.io';
export const catalogArtifact = 'application/vnd.docker.mcp.catalog.v1+json';
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const indexType = 'application/vnd.oci.image.index.v1+json';
const mostRedirects = 5;

const descriptor = z.object({
  digest: z.string(),
  mediaType: z.string().optional(),
  artifactType: z.string().optional(),
  size: z.number().optional(),
});
const manifestSchema = z.object({ artifactType: z.string(), layers: z.array(descriptor) });
const indexSchema = z.object({ manifests: z.array(descriptor).min(1) });

/**
 * Reads the one JSON layer of a catalog from a registry (OCI distribution specification 1.1): the manifest, or the one of
 * an index that is a catalog, then its layer; the digests of both are verified. Rejects with an error that says what was
 * wrong, for the source to name; an abort rejects with the signal's reason.
 */
export async function readArtifact(reference: string, access: RegistryAccess): Promise<unknown> {
  const { host = defaultHost, path, tag = 'latest', digest } = parseImage(reference);
  const repository = host === defaultHost && !path.includes('/') ? `library/${path}` : path;
  const scheme = isLoopbackHost(host.replace(/:\d+$/, '')) ? 'http' : 'https';
  const registry = new Registry(new URL(`${scheme}://${host}`), repository, access);
  let manifest = await registry.json(`manifests/${digest ?? tag}`, digest, `${manifestType}, ${indexType}`);
  const index = indexSchema.safeParse(manifest);
  if (index.success) {
    const { manifests } = index.data;
    const chosen = manifests.find(one => one.artifactType === catalogArtifact) ?? manifests[0];
    manifest = await registry.json(`manifests/${chosen?.digest ?? ''}`, chosen?.digest, manifestType);
  }
  const read = manifestSchema.safeParse(manifest);
  if (!read.success || read.data.artifactType !== catalogArtifact) {
    throw new Error(`${reference} is in the registry, but it is no catalog (${catalogArtifact})`);
  }
  const [layer, ...more] = read.data.layers;
  if (layer === undefined || more.length > 0) throw new Error('its manifest does not have one layer');
  return await registry.json(`blobs/${layer.digest}`, layer.digest, '*/*');
}

/** One repository of a registry, and the token that it gave us. */
class Registry {
  readonly #root: URL;
  readonly #repository: string;
  readonly #access: RegistryAccess;
  #token: string | undefined;

  constructor(root: URL, repository: string, access: RegistryAccess) {
    this.#root = root;
    this.#repository = repository;
    this.#access = access;
  }

  async json(what: string, digest: string | undefined, accept: string): Promise<unknown> {
    const url = new URL(`/v2/${this.#repository}/${what}`, this.#root);
    const bytes = await this.#bytes(url, accept, digest);
    try {
      return JSON.parse(bytes.toString('utf8')) as unknown;
    } catch {
      throw new Error('the registry answers with something that is no JSON');
    }
  }

  async #bytes(url: URL, accept: string, digest: string | undefined): Promise<Buffer> {
    let answer = await this.#get(url, accept);
    if (answer.status === 401 && this.#token === undefined) {
      this.#token = await this.#tokenFor(answer.challenge);
      answer = await this.#get(url, accept);
    }
    if (answer.status !== 200) throw new Error(`the registry answers ${answer.status}${codeIn(answer.body)}`);
    // What a tag stands for is named by the registry itself.
    const expected = digest ?? answer.digest;
    if (expected !== undefined && expected !== digestOf(answer.body, expected)) {
      throw new Error(`what the registry sent is not what ${expected.slice(0, 19)}… stands for`);
    }
    return answer.body;
  }

  async #get(start: URL, accept: string) {
    let url = start;
    for (let followed = 0; ; followed += 1) {
      // A token is for the registry alone, and not for where it sends us.
      const isOwn = url.origin === this.#root.origin;
      const authorization = isOwn && this.#token !== undefined ? { authorization: `Bearer ${this.#token}` } : {};
      const {
        statusCode: status,
        headers,
        body,
      } = await request(url, {
        dispatcher: this.#access.dispatcherFor(url),
        headers: { accept, ...authorization },
        signal: this.#access.signal,
      });
      const { location } = headers;
      if (status >= 300 && status < 400 && typeof location === 'string' && followed < mostRedirects) {
        await body.dump();
        const next = new URL(location, url);
        if (url.protocol === 'https:' && next.protocol !== 'https:')
          throw new Error('the registry leads away from https');
        url = next;
        continue;
      }
      const named = headers['docker-content-digest'];
      return {
        status,
        body: await this.#whole(body),
        digest: typeof named === 'string' ? named : undefined,
        challenge: String(headers['www-authenticate'] ?? ''),
      };
    }
  }

  async #whole(body: AsyncIterable<Buffer>): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > this.#access.mostBytes) throw new Error(`it is larger than ${this.#access.mostBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** A token for whoever asks, as the challenge says where (the distribution specification's token flow). */
  async #tokenFor(challenge: string): Promise<string> {
    const fields = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    const realm = URL.parse(fields['realm'] ?? '');
    if (!/^bearer /i.test(challenge) || realm === null || !/^https?:$/.test(realm.protocol)) {
      throw new Error('the registry asks for a login');
    }
    if (realm.protocol === 'http:' && !isLoopbackHost(realm.hostname))
      throw new Error('the registry gives tokens over http');
    if (fields['service'] !== undefined) realm.searchParams.set('service', fields['service']);
    realm.searchParams.set('scope', `repository:${this.#repository}:pull`);
    const { statusCode, body } = await request(realm, {
      dispatcher: this.#access.dispatcherFor(realm),
      signal: this.#access.signal,
    });
    const answer: unknown = statusCode === 200 ? await body.json() : await body.dump();
    const read = z.object({ token: z.string().optional(), access_token: z.string().optional() }).safeParse(answer);
    const token = read.data?.token ?? read.data?.access_token;
    if (token === undefined) throw new Error(`the registry gave no token (${statusCode})`);
    return token;
  }
}

function digestOf(bytes: Buffer, like: string): string {
  const [algorithm = ''] = like.split(':');
  if (algorithm !== 'sha256' && algorithm !== 'sha512') {
    throw new Error(`its digest is of the kind ${algorithm}, which nobody here can check`);
  }
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
}

/** The first error code of the registry's own answer. */
function codeIn(body: Buffer): string {
  try {
    const read = z
      .object({ errors: z.array(z.object({ code: z.string() })) })
      .safeParse(JSON.parse(body.toString('utf8')));
    const code = read.data?.errors[0]?.code;
    return code === undefined ? '' : ` (${code.slice(0, 60)})`;
  } catch {
    return '';
  }
}
