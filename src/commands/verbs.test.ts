import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogEntry, catalogsOf, sourceOf } from '../../test/fixtures/catalogs.ts';
import type { CatalogEntry } from '../catalog/catalog-entry.ts';
import { unreadable } from '../catalog/read-docker-catalog.ts';
import { curatedSource } from '../catalog/sources/curated.ts';
import { LongshoreError } from '../core/errors.ts';
import type { ServerKey } from '../core/ids.ts';
import { silentLog } from '../core/ports/log.ts';
import type { GatewayReport } from '../servers/gateway.ts';
import type { ServerInfo } from '../servers/server-info.ts';
import type { Envelope } from './envelope.ts';
import { readCommandLine } from './grammar.ts';
import type { EngineReport, LoadReport, OperatorContext, UnloadReport } from './operator-context.ts';
import { runLine } from './run-line.ts';
import { verbs } from './verbs.ts';

const time: ServerInfo = {
  serverId: 'a',
  saved: true,
  server: 'mcp-time' as ServerKey,
  resourceId: 'mcp-mcp-time-latest-0123456789abcdef',
  name: 'mcp/time:latest',
  kind: 'docker-image',
  config: {},
  image: 'mcp/time:latest',
  enabled: true,
  mode: 'container',
  state: 'connected',
  actor: 'operator',
  createdAt: 0,
  updatedAt: 0,
  health: { state: 'connected', sentence: 'It is connected.', action: { label: 'Tools' }, needsAttention: false },
  error: undefined,
  transport: 'stdio',
  protocol_version: '2026-07-28',
  protocolReason: null,
  holdings: ['c0ffee'],
  tools: [
    {
      handleName: 'mcp-time__get_time',
      toolName: 'get_time',
      description: 'Tells the time.',
      tokenCost: 9,
      mounted: true,
    },
    { handleName: 'mcp-time__convert', toolName: 'convert', tokenCost: 9, mounted: false },
  ],
  diagnostics: [],
};

const broken: ServerInfo = {
  ...time,
  serverId: null,
  saved: false,
  server: 'broken' as ServerKey,
  resourceId: 'mcp-broken-latest-0123456789abcdef',
  name: 'broken/image:latest',
  image: 'broken/image:latest',
  health: { state: 'failed', sentence: 'It exited.', action: { label: 'Restart' }, needsAttention: true },
  error: new LongshoreError('failed-to-start', 'It exited with code 1.'),
  transport: null,
  protocol_version: null,
  protocolReason: null,
  holdings: [],
  tools: [],
};

const removed: UnloadReport = {
  server: 'mcp-time',
  process_removed: true,
  handles_withdrawn: 2,
  saved_removed: true,
  error: undefined,
  secrets_left: [],
};

interface Outcomes {
  readonly load?: LoadReport | LongshoreError;
  readonly unload?: UnloadReport | LongshoreError;
  readonly servers?: readonly ServerInfo[];
  readonly engine?: EngineReport;
  readonly cannotRecord?: boolean;
  readonly gateway?: GatewayReport | LongshoreError;
  readonly catalog?: readonly CatalogEntry[] | Error;
}

/** Runs a line on an operator that notes what it is asked for. */
async function run(line: string, outcomes: Outcomes = {}): Promise<{ envelope: Envelope; did: readonly string[] }> {
  const did: string[] = [];
  const given = <Value>(value: Value | LongshoreError): Promise<Value> =>
    value instanceof LongshoreError ? Promise.reject(value) : Promise.resolve(value);
  const context: OperatorContext = {
    load({ ref }) {
      did.push(`load ${ref}`);
      return given(outcomes.load ?? { report: time, ranBefore: false, saveError: undefined });
    },
    unload(ref) {
      did.push(`unload ${ref}`);
      return given(outcomes.unload ?? removed);
    },
    servers: () => Promise.resolve(outcomes.servers ?? []),
    gateway: {
      start(names) {
        did.push(`start ${names.join(',')}`);
        return given(outcomes.gateway ?? { requested: names, observedTools: ['fetch'], missing: [] });
      },
      stop: () => Promise.resolve(outcomes.gateway !== undefined),
      report: () => Promise.resolve(outcomes.gateway instanceof LongshoreError ? undefined : outcomes.gateway),
    },
    catalogs: catalogsOf([sourceOf('docker', { next: outcomes.catalog ?? [] }), curatedSource]),
    engine: () => Promise.resolve(outcomes.engine ?? { state: 'available', sentence: 'Docker 29 answers.' }),
    record(action, subject) {
      if (outcomes.cannotRecord) return Promise.reject(new LongshoreError('cannot-record', 'The disk is full.'));
      did.push(`record ${action} ${subject}`);
      return Promise.resolve();
    },
  };
  return { envelope: await runLine(verbs, line, context, silentLog, new AbortController().signal), did };
}

describe('the verbs', () => {
  it('R28: are seven, called as D2 calls them, in commands and as tools alike', () => {
    expect(verbs.map(({ name }) => name).sort()).toEqual([
      '!mcp-catalog',
      '!mcp-gateway-start',
      '!mcp-gateway-stop',
      '!mcp-list',
      '!mcp-load',
      '!mcp-search',
      '!mcp-unload',
    ]);
    for (const { name, tool } of verbs) expect(tool).toBe(name.slice(1).replaceAll('-', '_'));
  });

  it('R36: none of them calls a tool, takes the name of one, or is a removed generic', () => {
    const names = verbs.flatMap(({ name, tool }) => [name, tool]);
    for (const gone of ['!mcp-call', '!mcp-gateway-call', 'mcp_call_tool', 'mcp_gateway_call']) {
      expect(names).not.toContain(gone);
    }
    expect(verbs.flatMap(({ parameters }) => parameters).sort()).toEqual(['container', 'image', 'query', 'servers']);
  });

  it('R28: a line that is wrong does nothing and records nothing, whatever the verb', async () => {
    for (const { name, parameters } of verbs) {
      const wrong = [
        `${name} ${parameters.map(() => 'x').join(' ')} surplus`,
        `${name} ${parameters.map(() => 'x').join(' ')} --unknown`,
        `${name}-x`,
        ...(parameters.length > 0 ? [name] : []),
      ];
      for (const line of wrong) {
        const { envelope, did } = await run(line);
        expect([line, envelope.status, did]).toEqual([line, 'error', []]);
      }
    }
  });

  it('are recorded before they do anything, and not done where that fails', async () => {
    expect((await run('!MCP-Load mcp/time')).did).toEqual(['record mcp_load mcp/time', 'load mcp/time']);
    expect((await run('!mcp-unload mcp/time')).did).toEqual(['record mcp_unload mcp/time', 'unload mcp/time']);
    for (const { name, parameters } of verbs) {
      const { envelope, did } = await run(`${name} ${parameters.map(() => 'x').join(' ')}`, { cannotRecord: true });
      expect([name, envelope.status, did]).toEqual([name, 'error', []]);
      expect(envelope).toMatchObject({ code: 'cannot-record' });
    }
  });
});

describe('!mcp-load', () => {
  it('R31: says what was loaded, with its resource, image, version and tools', async () => {
    const { envelope } = await run('!mcp-load mcp/time');
    expect(envelope).toMatchObject({
      status: 'ok',
      data: {
        resource_id: time.resourceId,
        image: 'mcp/time:latest',
        protocol_version: '2026-07-28',
        tools: [{ handleName: 'mcp-time__get_time', toolName: 'get_time' }, { handleName: 'mcp-time__convert' }],
      },
    });
  });

  it.each<[string, Partial<LoadReport>, string]>([
    ['adds no tool because it ran already', { ranBefore: true }, 'already-running'],
    ['has no tools', { report: { ...time, tools: [] } }, 'discovery-failed'],
    ['could not be saved', { saveError: new LongshoreError('cannot-record', 'Disk full.') }, 'cannot-record'],
  ])('R31, R68: is partial where the server %s', async (_, change, code) => {
    const load = { report: time, ranBefore: false, saveError: undefined, ...change };
    const { envelope } = await run('!mcp-load mcp/time', { load });
    expect(envelope).toMatchObject({ status: 'partial', code });
  });

  it('is an error with the reason where the server does not start', async () => {
    const load = new LongshoreError('failed-to-start', 'It exited.', { data: { server: 'mcp-time' } });
    const { envelope } = await run('!mcp-load mcp/time', { load });
    expect(envelope).toEqual({
      status: 'error',
      code: 'failed-to-start',
      error: 'It exited.',
      data: { server: 'mcp-time' },
    });
  });
});

describe('!mcp-unload', () => {
  it('R32, R60: says separately what became of process, saved entry and handles', async () => {
    const { envelope } = await run('!mcp-unload mcp/time');
    expect(envelope).toMatchObject({
      status: 'ok',
      data: { process_removed: true, saved_removed: true, handles_withdrawn: 2 },
    });
  });

  it('R60: is partial with both facts where one half failed', async () => {
    const unload = {
      ...removed,
      saved_removed: 'failed',
      error: new LongshoreError('cannot-record', 'Locked.'),
    } as const;
    const { envelope } = await run('!mcp-unload mcp/time', { unload });
    expect(envelope).toMatchObject({
      status: 'partial',
      code: 'cannot-record',
      data: { process_removed: true, saved_removed: 'failed' },
    });
    const left = await run('!mcp-unload mcp/time', { unload: { ...removed, secrets_left: ['time.TOKEN'] } });
    expect(left.envelope).toMatchObject({ status: 'partial', error: expect.stringContaining('time.TOKEN') });
  });

  it('R32: is an error where there is nothing to unload', async () => {
    const unload = new LongshoreError('unknown-server', 'There is nothing to unload.');
    const { envelope } = await run('!mcp-unload nobody', { unload });
    expect(envelope).toMatchObject({ status: 'error', code: 'unknown-server' });
  });
});

describe('!mcp-list', () => {
  it('R33, R45: shows what failed too, each tool with its version, name and whether it is mounted', async () => {
    const { envelope } = await run('!mcp-list', { servers: [time, broken] });
    expect(envelope).toMatchObject({
      status: 'ok',
      data: {
        servers: [
          {
            id: time.resourceId,
            image: 'mcp/time:latest',
            state: 'connected',
            tools: [
              { handle: 'mcp-time__get_time', protocol_version: '2026-07-28', mounted: true },
              { handle: 'mcp-time__convert', mounted: false },
            ],
            error: null,
          },
          { id: broken.resourceId, state: 'failed', tools: [], error: { code: 'failed-to-start' } },
        ],
      },
    });
    const text = envelope.status === 'ok' ? envelope.confirmation : '';
    expect(text).toContain('2 servers');
    expect(text).toContain('mcp-time__get_time (2026-07-28)');
    expect(text).toContain('broken/image:latest (mcp-broken-latest-0123456789abcdef): failed. It exited.');
  });

  it('R33: works without Docker and says that it is not there', async () => {
    const engine = { state: 'unavailable', sentence: 'The Docker engine does not answer.' } as const;
    const { envelope } = await run('!mcp-list', { engine });
    expect(envelope).toMatchObject({ status: 'ok', confirmation: expect.stringContaining(engine.sentence) });
  });

  it('R24, R78: counts servers and never claims a number that nobody counted', async () => {
    for (const count of [0, 1, 2]) {
      const { envelope } = await run('!mcp-list', { servers: [time, broken].slice(0, count) });
      expect(JSON.stringify(envelope)).not.toContain('311');
    }
  });

  it('R24: no text of ours names the number of servers that a catalog once had', async () => {
    const files = await readdir(new URL('..', import.meta.url), { recursive: true, withFileTypes: true });
    const ours = files.filter(
      file => file.isFile() && /\.(ts|js|html|css)$/.test(file.name) && !/\.test\./.test(file.name),
    );
    expect(ours.length).toBeGreaterThan(100);
    const texts = await Promise.all(ours.map(file => readFile(join(file.parentPath, file.name), 'utf8')));
    expect(ours.filter((_, index) => /\b311\b/.test(texts[index] ?? '')).map(file => file.name)).toEqual([]);
  });
});

describe('the catalogs', () => {
  const weather = catalogEntry('weather', {
    tools: ['forecast'],
    secrets: [{ name: 'weather.key', variable: 'WEATHER_KEY' }],
    settings: [{ key: 'weather.region', description: undefined, isRequired: true, byDefault: undefined }],
  });

  it('R34: a search finds by words of a name, a description or a tool, with a hint that load takes and what is needed first', async () => {
    for (const query of ['WEATHER', 'forecast', 'forcast', 'eathe']) {
      const { envelope } = await run(`!mcp-search ${query}`, { catalog: [weather] });
      expect(envelope).toMatchObject({
        status: 'ok',
        data: {
          matches: [
            {
              name: 'weather',
              image: 'acme/weather',
              load: '!mcp-load weather',
              needs: ['longshore secret set weather.key', '--set weather.region=VALUE'],
              isolation: expect.stringContaining('container'),
            },
          ],
        },
      });
    }
    expect((await run('!mcp-load weather')).did).toContain(
      `load ${readCommandLine('!mcp-load weather').positional[0]}`,
    );
    const nothing = (await run('!mcp-search zzz', { catalog: [weather] })).envelope;
    expect(nothing).toMatchObject({ status: 'ok', data: { matches: [] } });
  });

  it('R34, R74: a catalog that cannot be read makes a search an error, which still has what the others found', async () => {
    const { envelope } = await run('!mcp-search fetch', { catalog: unreadable('docker', 'it printed {') });
    expect(envelope).toMatchObject({
      status: 'error',
      code: 'catalog-unreadable',
      error: expect.stringContaining('docker'),
      data: { matches: expect.arrayContaining([expect.objectContaining({ name: 'fetch', source: 'curated' })]) },
    });
    expect((await run('!mcp-catalog', { catalog: unreadable('docker', 'it printed {') })).envelope).toMatchObject({
      status: 'error',
      code: 'catalog-unreadable',
    });
  });

  it('R35, R78: all definitions are listed by catalog and counted as available, however many run', async () => {
    const { envelope } = await run('!mcp-catalog', { catalog: [weather, catalogEntry('b')], servers: [time] });
    const { entries } = await curatedSource.read({ signal: new AbortController().signal });
    expect(envelope.status).toBe('ok');
    const { confirmation = '' } = envelope as { confirmation?: string };
    expect(confirmation).toMatch(new RegExp(`^${entries.length + 2} definitions available\\.`));
    expect(confirmation).toContain('2 definitions available\n  weather\n  b\n');
    expect(confirmation).not.toMatch(/running|enabled|loaded/);
  });

  it('R34: a blank search is refused with its usage', async () => {
    for (const line of ['!mcp-search ""', '!mcp-search "  "', '!mcp-search']) {
      const { envelope, did } = await run(line);
      expect(envelope).toMatchObject({ status: 'error', code: 'usage', error: expect.stringContaining('<query>') });
      expect(did).toEqual([]);
    }
  });

  it('R70: names of gateway servers are checked before anything is said about the gateway', async () => {
    const { envelope, did } = await run('!mcp-gateway-start "fetch, time"');
    expect(envelope).toMatchObject({ status: 'error', code: 'usage', error: expect.stringContaining('" time"') });
    expect(did).toEqual([]);
  });

  it('R29, R76: what was requested of the gateway is told apart from what was observed, and never that a server runs', async () => {
    const report = { requested: ['fetch', 'time'], observedTools: ['fetch'], missing: [{ name: 'time', why: 'EOF' }] };
    const partial = (await run('!mcp-gateway-start fetch,time', { gateway: report })).envelope;
    expect(partial).toMatchObject({
      status: 'partial',
      error: expect.stringContaining('time: EOF'),
      data: { requested_servers: ['fetch', 'time'], observed_tools: ['fetch'], not_in_effect: [{ name: 'time' }] },
    });
    expect(JSON.stringify(partial)).not.toMatch(/running|is ready/);
    expect((await run('!mcp-gateway-start fetch')).envelope).toMatchObject({ status: 'ok' });
    const none = { requested: ['fetch'], observedTools: [], missing: [] };
    expect((await run('!mcp-gateway-start fetch', { gateway: none })).envelope.status).toBe('partial');
    const lost = { ...none, missing: [{ name: 'fetch', why: 'EOF' }] };
    expect((await run('!mcp-gateway-start fetch', { gateway: lost })).envelope.status).toBe('error');
    const listed = (await run('!mcp-list', { gateway: report })).envelope;
    expect(listed).toMatchObject({ data: { gateway: { requested_servers: ['fetch', 'time'] } } });
  });

  it('R30: stopping the gateway is fine whether it runs or not', async () => {
    expect((await run('!mcp-gateway-stop')).envelope).toMatchObject({ status: 'ok', data: { was_there: false } });
  });
});
