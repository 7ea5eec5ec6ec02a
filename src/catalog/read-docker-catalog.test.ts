import { describe, expect, it } from 'vitest';
import { readCatalogFile, readDockerCatalog } from './read-docker-catalog.ts';

const server = {
  name: 'raw',
  type: 'server',
  image: 'bench/raw:1',
  title: 'Raw',
  description: 'Echoes.',
  remote: {},
  secrets: [{ name: 'raw.key', env: 'RAW_KEY' }],
  env: [{ name: 'RAW_FOLDER', value: '{{raw.folder}}' }],
  volumes: ['{{raw.folder}}:/data'],
  config: [
    {
      name: 'raw',
      type: 'object',
      properties: { folder: { type: 'string', description: 'Where.' }, level: { type: 'integer', default: 3 } },
      required: ['folder'],
    },
  ],
  tools: [{ name: 'echo', container: { image: '' } }, { noName: true }],
  metadata: { category: 'test', tags: ['a', 'b'] },
};

const shown = (...servers: readonly unknown[]) => ({ ref: 'a/b', title: 'B', servers, digest: 'x' });
const image = (one: object) => ({ type: 'image', image: 'bench/raw:1', snapshot: { server: one } });

describe('Docker’s catalog', () => {
  it('R71: gives each named entry with its kind, and counts those without a name', () => {
    const remote = {
      name: 'hosted',
      type: 'remote',
      image: '',
      remote: { url: 'https://mcp.example.com/mcp', transport_type: 'sse', headers: { 'X-Key': '${HOSTED_KEY}' } },
    };
    const { entries, unnamed, title } = readDockerCatalog(
      shown(
        image(server),
        { type: 'remote', endpoint: 'https://mcp.example.com/mcp', snapshot: { server: remote } },
        { type: 'registry', source: 'x' },
      ),
      'docker',
    );
    expect([title, unnamed, entries.map(entry => [entry.name, entry.start.kind])]).toEqual([
      'B',
      1,
      [
        ['raw', 'image'],
        ['hosted', 'remote'],
      ],
    ]);
    expect(entries[0]).toEqual({
      name: 'raw',
      catalog: 'docker',
      title: 'Raw',
      description: 'Echoes.',
      category: 'test',
      tags: ['a', 'b'],
      tools: ['echo'],
      start: {
        kind: 'image',
        image: 'bench/raw:1',
        command: [],
        volumes: ['{{raw.folder}}:/data'],
        user: undefined,
        network: true,
        hosts: [],
      },
      secrets: [{ name: 'raw.key', variable: 'RAW_KEY' }],
      settings: [
        { key: 'raw.folder', description: 'Where.', isRequired: true, byDefault: undefined },
        { key: 'raw.level', description: undefined, isRequired: false, byDefault: '3' },
      ],
      env: { RAW_FOLDER: '{{raw.folder}}' },
    });
    expect(entries[1]?.start).toMatchObject({ url: 'https://mcp.example.com/mcp', transport: 'sse' });
  });

  it('R71: an odd member never loses an entry, but one whose needs cannot be read is not loadable', () => {
    const odd = {
      ...server,
      name: 'odd',
      title: 3,
      tools: 'none',
      metadata: null,
      command: ['a', 4, 'b'],
      allowHosts: {},
    };
    const unsafe = { ...server, name: 'unsafe', secrets: [{ name: 'unsafe.key' }] };
    const { entries } = readDockerCatalog(shown(image(odd), image(unsafe)), 'docker');
    expect(entries[0]).toMatchObject({ name: 'odd', title: undefined, tools: [], start: { command: ['a', 'b'] } });
    expect(entries[1]).toMatchObject({ name: 'unsafe', start: { kind: 'none' } });
  });

  it.each([null, [], {}, { servers: {} }, { servers: [3] }, shown(image(server), image(server))])(
    'R74: another shape, or two entries of one name, is an error that names the catalog: %j',
    value => {
      expect(() => readDockerCatalog(value, 'docker (a/b)')).toThrow(/docker \(a\/b\) cannot be read/);
    },
  );

  it('R71: a catalog file has its names as keys', () => {
    const { entries } = readCatalogFile(
      { version: 2, displayName: 'Mine', registry: { mine: { ...server, name: undefined }, ' x': server, no: 3 } },
      'files',
    );
    expect(entries.map(({ name }) => name)).toEqual(['mine']);
    expect(() => readCatalogFile({ registry: [] }, 'files')).toThrow('cannot be read');
  });
});
