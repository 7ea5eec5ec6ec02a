/**
 * What saved servers cost a start: the service from its command line to its first answer that says it is ready, with an
 * empty home and with a hundred saved servers of twenty remembered tools each. In turn, in one run. The target is at
 * most 1.3 times the empty home.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLongshore } from '../e2e/run-longshore.ts';
import { type SavedMany, saveMany } from '../fixtures/save-many.ts';
import { report, timeInTurn } from './measure.ts';

const folder = mkdtempSync(join(tmpdir(), 'longshore-bench-'));
const many: SavedMany = { servers: Number(process.env['SERVERS'] ?? 100), tools: Number(process.env['TOOLS'] ?? 20) };

interface Running {
  readonly url: string;
  readonly token: string;
  readonly child: ReturnType<typeof startLongshore>['child'];
  readonly ended: Promise<unknown>;
}

/** Starts the service on a home and resolves once it answers that it is ready. */
async function startService(home: string): Promise<Running> {
  const { child, ended } = startLongshore(['serve', '--json', '--port', '0'], { env: { LONGSHORE_HOME: home } });
  const [said] = await once(child.stdout ?? child, 'data');
  const { url } = JSON.parse(String(said));
  const health = (await (await fetch(`${url}/api/health`)).json()) as { readonly ready: boolean };
  if (!health.ready) throw new Error('the service says where it is before it is ready');
  return { url, token: readFileSync(join(home, 'operator.token'), 'utf8').trim(), child, ended };
}

async function tools({ url, token }: Running): Promise<number> {
  const answer = await fetch(`${url}/api/tools`, { headers: { authorization: `Bearer ${token}` } });
  const listed = (await answer.json()) as readonly unknown[];
  return listed.length;
}

/** A candidate that starts the service on one home, and stops it outside of the measured time. */
function starting(name: string, home: string, expected: number, listing: boolean) {
  let running: Running | undefined;
  return {
    name,
    async run() {
      running = await startService(home);
      if (listing && (await tools(running)) !== expected) throw new Error('not every tool was listed');
    },
    async after() {
      if (running === undefined) return;
      if ((await tools(running)) !== expected) throw new Error('not every tool was listed');
      running.child.kill('SIGTERM');
      await running.ended;
    },
  };
}

const empty = join(folder, 'empty');
const full = join(folder, 'full');
const count = many.servers * many.tools;
await saveMany(full, many);
try {
  const medians = await timeInTurn(
    [
      starting('ready, with an empty home', empty, 0, false),
      starting(`ready, with ${many.servers} saved servers of ${many.tools} tools`, full, count, false),
      starting('the same, and all tools listed', full, count, true),
    ],
    Number(process.env['ROUNDS'] ?? 15),
  );
  report('from `serve` to its first answer (medians)', medians);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
