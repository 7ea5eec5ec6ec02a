/**
 * Searching 20,000 definitions, and what a cache of them costs the start of the service: from its command line to its first
 * answer, with and without, in turn. Targets: 20 ms at the 95th percentile, 50 ms more.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogEntry } from '../../src/catalog/catalog-entry.ts';
import { createCatalogs } from '../../src/catalog/catalogs.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/ports/log.ts';
import { openStore } from '../../src/store/store.ts';
import { startLongshore } from '../e2e/run-longshore.ts';
import { catalogEntry } from '../fixtures/catalogs.ts';
import { median, report, timeInTurn } from './measure.ts';

const count = Number(process.env['DEFINITIONS'] ?? 20_000);
const words =
  'github weather calendar files browser database search image mail maps music news notes payments queue slack tasks time video wiki'.split(
    ' ',
  );
const word = (at: number): string => words[at % words.length] ?? '';
const entries: CatalogEntry[] = Array.from({ length: count }, (_, at) =>
  catalogEntry(`${word(at)}-${word(at * 7 + 3)}-${at}`, {
    title: `${word(at)} ${word(at + 5)}`,
    description: `Works with ${word(at * 3)} and ${word(at * 11 + 1)}, for ${word(at * 5 + 2)} of every kind.`,
    tools: [`${word(at)}_list`, `${word(at)}_create`, `${word(at * 13)}_delete`],
    tags: [word(at * 17)],
  }),
);

const folder = mkdtempSync(join(tmpdir(), 'longshore-bench-'));
const [empty, full] = [join(folder, 'empty'), join(folder, 'full')];
const options = { signal: new AbortController().signal };

async function fill(): Promise<void> {
  await using store = await openStore({ path: join(full, 'longshore.db'), clock: systemClock });
  const source = {
    id: 'docker',
    place: '127.0.0.1:9/no/catalog',
    isLocal: false,
    read: () => Promise.resolve({ title: undefined, entries, unnamed: 0 }),
  };
  const catalogs = createCatalogs({ sources: [source], cache: store.catalogs, clock: systemClock, log: silentLog });
  const start = performance.now();
  await catalogs.search('weather', 20, options);
  process.stdout.write(`first search, with the index: ${(performance.now() - start).toFixed(0)} ms\n`);
  const times: number[] = [];
  for (let at = 0; at < 400; at += 1) {
    const query =
      [word(at), `${word(at)} ${word(at + 3)}`, `${word(at).slice(0, 4)}`, `${word(at)}x ${word(at + 1)}`][at % 4] ??
      '';
    const before = performance.now();
    await catalogs.search(query, 20, options);
    times.push(performance.now() - before);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  process.stdout.write(`search of ${count}: p50 ${median(times).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms\n`);
}

/** Starts the service on a home, until it says where it is. */
function starting(name: string, home: string) {
  let running: ReturnType<typeof startLongshore> | undefined;
  return {
    name,
    async run() {
      const env = { LONGSHORE_HOME: home, KESTREL_MCP_DOCKER_CATALOG: '127.0.0.1:9/no/catalog' };
      running = startLongshore(['serve', '--json', '--port', '0'], { env });
      const [said] = await once(running.child.stdout ?? running.child, 'data');
      await (await fetch(`${JSON.parse(String(said)).url}/api/health`)).json();
    },
    async after() {
      running?.child.kill('SIGTERM');
      await running?.ended;
    },
  };
}

try {
  await fill();
  const rounds = Number(process.env['ROUNDS'] ?? 7);
  const medians = await timeInTurn(
    [starting('empty home', empty), starting(`${count} cached definitions`, full)],
    rounds,
  );
  report('from `serve` to its first answer (medians)', medians);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
