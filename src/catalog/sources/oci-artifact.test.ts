import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { type Answer, artifact, digest, tinyRegistry } from '../../../test/fixtures/oci-registry.ts';
import { readDockerCatalog } from '../read-docker-catalog.ts';
import { catalogArtifact, readArtifact } from './oci-artifact.ts';

const agent = new Agent();
const access = (more: { mostBytes?: number; signal?: AbortSignal } = {}) => ({
  dispatcherFor: () => agent,
  signal: new AbortController().signal,
  mostBytes: 1024 * 1024,
  ...more,
});
/** test/setup installs it; a machine without it and without CI leaves that one test out. */
const hasRegistry = process.env['CI'] !== undefined || spawnSync('docker-registry', ['--version']).error === undefined;

const failure = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => 'it was read',
    (error: unknown) => String(error),
  );

describe('a catalog in a registry', () => {
  const { layer, manifest } = artifact(3);
  const good = { '/v2/mcp/cat/manifests/1': manifest, [`/v2/mcp/cat/blobs/${digest(layer)}`]: layer };

  it('R71: is read from its manifest’s one layer', async () => {
    await using registry = await tinyRegistry(good);
    expect(readDockerCatalog(await readArtifact(registry.reference, access()), 'docker').entries).toHaveLength(3);
  });

  it('R71: is found in an index of several manifests', async () => {
    const index = JSON.stringify({
      schemaVersion: 2,
      manifests: [
        { digest: digest('other'), mediaType: 'x' },
        { digest: digest(manifest), artifactType: catalogArtifact },
      ],
    });
    await using registry = await tinyRegistry({
      ...good,
      '/v2/mcp/cat/manifests/1': index,
      [`/v2/mcp/cat/manifests/${digest(manifest)}`]: manifest,
    });
    expect(await readArtifact(registry.reference, access())).toMatchObject({ title: 'Test' });
  });

  it('R74: with a layer, or a manifest, that was tampered with is refused', async () => {
    await using registry = await tinyRegistry({
      ...good,
      [`/v2/mcp/cat/blobs/${digest(layer)}`]: layer.replace('acme/s1', 'evil/s1'),
    });
    expect(await failure(readArtifact(registry.reference, access()))).toContain('is not what sha256:');
    const named: Answer = (_, response) =>
      response.writeHead(200, { 'docker-content-digest': digest('other') }).end(manifest);
    await using other = await tinyRegistry({ ...good, '/v2/mcp/cat/manifests/1': named });
    expect(await failure(readArtifact(other.reference, access()))).toContain('is not what sha256:');
  });

  it('R74: that is no catalog, too large, not JSON or not there is an error that says so', async () => {
    await using registry = await tinyRegistry({
      ...good,
      '/v2/mcp/image/manifests/1': manifest.replace(catalogArtifact, 'application/x'),
      '/v2/mcp/text/manifests/1': 'hello',
    });
    const at = (name: string) => `127.0.0.1:${registry.port}/mcp/${name}:1`;
    expect(await failure(readArtifact(at('image'), access()))).toContain('is no catalog');
    expect(await failure(readArtifact(at('text'), access()))).toContain('no JSON');
    expect(await failure(readArtifact(at('none'), access()))).toContain('404 (MANIFEST_UNKNOWN)');
    expect(await failure(readArtifact(registry.reference, access({ mostBytes: 100 })))).toContain('larger than 100');
  });

  it('follows the token flow, and sends its token to the registry alone', async () => {
    await using storage = await tinyRegistry({ '/blob': layer });
    const guarded =
      (answer: string): Answer =>
      (request, response) => {
        if (request.headers.authorization === 'Bearer t0ken') return response.end(answer);
        const realm = `http://${request.headers.host}/token`;
        return response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="reg"` }).end();
      };
    await using registry = await tinyRegistry({
      '/token': '{"token":"t0ken"}',
      '/v2/mcp/cat/manifests/1': guarded(manifest),
      [`/v2/mcp/cat/blobs/${digest(layer)}`]: (_, response) =>
        response.writeHead(307, { location: `http://127.0.0.1:${storage.port}/blob` }).end(),
    });
    expect(await readArtifact(registry.reference, access())).toMatchObject({ title: 'Test' });
    expect(storage.asked.map(headers => headers.authorization)).toEqual([undefined]);
  });

  it('R73: that stalls ends with whoever waits no longer', async () => {
    await using registry = await tinyRegistry({
      ...good,
      [`/v2/mcp/cat/blobs/${digest(layer)}`]: (_, response) => response.write('{'),
    });
    expect(await failure(readArtifact(registry.reference, access({ signal: AbortSignal.timeout(300) })))).toContain(
      'Timeout',
    );
  });

  it.skipIf(!hasRegistry)('R71: of 400 entries is read from the reference implementation of a registry', async () => {
    await using registry = await debianRegistry();
    const big = artifact(400);
    const base = `http://127.0.0.1:${registry.port}/v2/mcp/cat`;
    for (const blob of ['{}', big.layer]) {
      const begun = await fetch(`${base}/blobs/uploads/`, { method: 'POST' });
      const to = new URL(begun.headers.get('location') ?? '', base);
      to.searchParams.set('digest', digest(blob));
      const headers = { 'content-type': 'application/octet-stream' };
      expect((await fetch(to, { method: 'PUT', headers, body: blob })).status).toBe(201);
    }
    const headers = { 'content-type': 'application/vnd.oci.image.manifest.v1+json' };
    expect((await fetch(`${base}/manifests/1`, { method: 'PUT', headers, body: big.manifest })).status).toBe(201);
    const value = await readArtifact(`127.0.0.1:${registry.port}/mcp/cat:1`, access());
    expect(readDockerCatalog(value, 'docker').entries).toHaveLength(400);
  });
});

/** The registry that Debian packages, on a free port. */
async function debianRegistry() {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-registry-'));
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const config = `version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: ${folder}}}\nhttp: {addr: 127.0.0.1:${port}}\n`;
  await writeFile(join(folder, 'config.yml'), config);
  const child: ChildProcess = spawn('docker-registry', ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${port}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    if (child.exitCode !== null) throw new Error(`docker-registry ended with ${child.exitCode}`);
    await pause(50);
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
