import { describe, expect, it } from 'vitest';
import { catalogEntry } from '../../test/fixtures/catalogs.ts';
import type { CatalogEntry } from '../catalog/catalog-entry.ts';
import { curatedSource } from '../catalog/sources/curated.ts';
import { LongshoreError } from '../core/errors.ts';
import { needsOf, planEntry } from './plan-entry.ts';

const weather = catalogEntry('weather', {
  start: {
    kind: 'image',
    image: 'mcp/weather@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    command: ['--region={{weather.region}}', '{{weather.extra|into}}', '--user=$WEATHER_USER'],
    volumes: ['{{weather.paths|volume|into}}', 'weather-cache:/cache', '{{weather.none}}:/x'],
    user: '1000:1000',
    network: false,
    hosts: [],
  },
  secrets: [{ name: 'weather.key', variable: 'WEATHER_KEY' }],
  settings: [
    { key: 'weather.region', description: 'Where.', isRequired: true, byDefault: undefined },
    { key: 'weather.level', description: undefined, isRequired: true, byDefault: '3' },
  ],
  env: { WEATHER_LEVEL: '{{weather.level}}', WEATHER_USER: '{{weather.user}}', WEATHER_NONE: '{{weather.none}}' },
});

const all = () => true;
const none = () => false;

function refusal(act: () => unknown): LongshoreError {
  try {
    act();
  } catch (error) {
    if (error instanceof LongshoreError) return error;
  }
  throw new Error('nothing was refused');
}

describe('the plan of a catalog’s entry', () => {
  it('R56: is that of its image, with command, variables, volumes, user and network as the catalog says', () => {
    const values = { 'weather.region': 'eu', 'weather.extra': 'a,b', 'weather.paths': '/srv/a', 'weather.user': 'me' };
    const planned = planEntry(weather, { values }, all);
    const { start } = weather;
    const image = start.kind === 'image' ? start.image : '';
    expect(planned).toMatchObject({
      kind: 'docker-image',
      image,
      identity: `image:${image}`,
      config: {
        args: ['--region=eu', 'a', 'b', '--user=me'],
        env: { WEATHER_LEVEL: '3', WEATHER_USER: 'me', WEATHER_KEY: '${secret:weather.key}' },
      },
      container: { network: 'none', mounts: ['/srv/a:/srv/a', 'weather-cache:/cache'], user: '1000:1000' },
    });
    expect(planned.config.env).not.toHaveProperty('WEATHER_NONE');
  });

  it('is refused before anything starts where values are missing, naming each with what gives it', () => {
    const error = refusal(() => planEntry(weather, {}, none));
    expect(error).toMatchObject({
      code: 'unresolved-reference',
      data: { secrets: ['weather.key'], settings: ['weather.region'] },
    });
    expect(error.message).toContain('longshore secret set weather.key');
    expect(error.message).toContain('weather.region, Where (--set weather.region=VALUE)');
    expect(needsOf(weather)).toEqual(['longshore secret set weather.key', '--set weather.region=VALUE']);
    // A variable of the person's own is as good.
    const given = { env: { WEATHER_KEY: 'k' }, values: { 'weather.region': 'eu' } };
    expect(planEntry(weather, given, none).config.env).toMatchObject({ WEATHER_KEY: 'k' });
  });

  it('knows its settings: another one is refused with those there are', () => {
    const error = refusal(() => planEntry(weather, { values: { 'weather.regoin': 'eu' } }, all));
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining('weather.region') });
  });

  it('S15: never puts a secret into a command line', () => {
    const start: CatalogEntry['start'] = { kind: 'command', command: 'npx', args: ['-y', 'x', '--key=${API_KEY}'] };
    const entry = catalogEntry('x', { start, secrets: [{ name: 'x.key', variable: 'API_KEY' }] });
    expect(refusal(() => planEntry(entry, {}, all))).toMatchObject({ code: 'bad-config' });
  });

  it('of a remote server refers to its secrets in headers', () => {
    const start: CatalogEntry['start'] = {
      kind: 'remote',
      url: 'https://mcp.example.org/mcp',
      transport: 'streamable-http',
      headers: { 'X-Key': '${API_KEY}', Accept: 'x' },
    };
    const entry = catalogEntry('hosted', { start, secrets: [{ name: 'hosted.key', variable: 'API_KEY' }] });
    expect(planEntry(entry, {}, all)).toMatchObject({
      kind: 'remote',
      name: 'hosted',
      config: { endpoint: start.url, headers: { 'X-Key': '${secret:hosted.key}', Accept: 'x' } },
    });
    expect(refusal(() => planEntry(entry, {}, none)).message).toContain('hosted.key');
  });

  it('of what nobody can load says why', () => {
    const entry = catalogEntry('poci', { start: { kind: 'none', reason: 'the gateway runs those' } });
    expect(refusal(() => planEntry(entry, {}, all)).message).toContain('the gateway runs those');
  });

  it('is there for every entry of our own list, once what it needs is given', async () => {
    const { entries } = await curatedSource.read({ signal: new AbortController().signal });
    expect(entries.length).toBeGreaterThan(20);
    for (const entry of entries) {
      const asked = entry.settings.filter(({ isRequired }) => isRequired);
      const values = Object.fromEntries(asked.map(({ key }) => [key, '/srv']));
      const { kind, config } = planEntry(entry, { values }, all);
      expect([entry.name, kind, config.args?.join(' ').includes('{{')]).toEqual([entry.name, 'process', false]);
      expect(Object.values(config.env ?? {}).every(value => value.startsWith('${secret:'))).toBe(true);
    }
  });
});
