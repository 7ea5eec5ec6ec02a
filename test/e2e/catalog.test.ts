import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startHttpFixture } from '../fixtures/http-server.ts';
import { artifact, digest, tinyRegistry } from '../fixtures/oci-registry.ts';
import { longshoreHome } from './longshore-home.ts';

const patience = 90_000;
type Json = ReturnType<typeof JSON.parse>;

describe('the catalogs, on the command line', () => {
  it('R34, R35, R56, R71, R78: are searched and listed, and an entry is loaded once what it needs is there', {
    timeout: patience,
  }, async () => {
    await using server = await startHttpFixture('modern-http.js');
    const hosted = {
      name: 'weather',
      type: 'remote',
      title: 'Weather',
      description: 'Forecasts for everywhere.',
      remote: {
        url: `${server.origin}/mcp`,
        transport_type: 'streamable-http',
        headers: { 'X-Key': '${WEATHER_KEY}' },
      },
      secrets: [{ name: 'weather.key', env: 'WEATHER_KEY' }],
      tools: [{ name: 'forecast' }],
    };
    const { layer, manifest } = artifact([hosted, { name: 'other', type: 'server', image: 'acme/other', remote: {} }]);
    await using registry = await tinyRegistry({
      '/v2/mcp/cat/manifests/1': manifest,
      [`/v2/mcp/cat/blobs/${digest(layer)}`]: layer,
    });
    await using home = longshoreHome({ KESTREL_MCP_DOCKER_CATALOG: registry.reference, DOCKER_CONFIG: '/nowhere' });

    const found = await home.run('search', 'forcast');
    expect(found).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/weather +docker +remote +secret weather\.key/),
    });
    expect(found.stderr).toMatch(/Definitions available: files 0, docker 2, curated \d+\./);
    const listed = (await home.json('catalog')) as Json;
    expect(listed.matches.map((entry: Json) => entry.name)).toEqual(
      expect.arrayContaining(['weather', 'other', 'time']),
    );

    const refused = await home.run('load', 'weather');
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('longshore secret set weather.key')]);
    expect((await home.pipe('k3y-of-the-weather\n', 'secret', 'set', 'weather.key')).code).toBe(0);
    expect((await home.run('load', 'weather')).code).toBe(0);
    expect(await home.json('list')).toMatchObject({
      servers: [{ name: 'weather', state: 'connected', kind: 'remote' }],
    });
    const read = registry.asked.length;

    // What is saved depends on no catalog, and what was read is there after a restart.
    await home.run('stop');
    expect((await home.run('load', 'weather')).code).toBe(0);
    expect((await home.run('search', 'weather')).code).toBe(0);
    expect(registry.asked).toHaveLength(read);
    expect((await home.run('catalog', '--refresh')).code).toBe(0);
    expect(registry.asked.length).toBeGreaterThan(read);
    expect((await home.run('unload', 'weather')).code).toBe(0);
  });

  it('R74: a catalog that cannot be read is an error that names it, beside what the others have', {
    timeout: patience,
  }, async () => {
    await using home = longshoreHome();
    mkdirSync(join(home.folder, 'catalogs'), { recursive: true, mode: 0o700 });
    writeFileSync(
      join(home.folder, 'catalogs', 'mine.yaml'),
      'version: 2\nregistry:\n  tea:\n    description: Makes tea.\n    image: acme/tea\n    type: server\n',
    );
    const found = await home.run('search', 'tea');
    expect(found.code).toBe(4);
    expect(found.stdout).toMatch(/tea +files +container/);
    expect(found.stderr).toContain('The catalog docker (127.0.0.1:9/no/catalog) cannot be read');
    const unknown = await home.run('load', 'nobody');
    expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('There is no server "nobody" here')]);
    writeFileSync(join(home.folder, 'catalogs', 'mine.yaml'), 'registry: [');
    expect((await home.run('search', 'tea')).stderr).toContain('mine.yaml');
  });
});
