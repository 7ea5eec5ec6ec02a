/** From `load` to the first tools/list of images, against bare `docker run`s with the same flags until their first answer. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { openHost } from '../../src/index.ts';
import { docker, fixtureImage } from '../fixtures/docker/images.ts';
import { report, timeInTurn } from './measure.ts';

const rounds = Number(process.env['ROUNDS'] ?? 5);
const image = await fixtureImage('stdio');
await using host = await openHost({ ephemeral: true });
const agent = host.agent();
const { command } = await agent.explain(image);
/** The very flags that Longshore uses, without what names one container and where its id is kept. */
const flags = withoutValues(command.slice(1, -1), ['--name', '--cidfile', '--label']);

function withoutValues(words: readonly string[], names: readonly string[]): string[] {
  return words.filter((word, index) => !names.includes(word) && !names.includes(words[index - 1] ?? ''));
}

/** Starts a container, initialises it, lists its tools, and removes it outside of the measured time. */
async function bare(remove: (() => Promise<void>)[]): Promise<void> {
  const name = `bench-${randomBytes(6).toString('hex')}`;
  const child = spawn('docker', [...flags, '--name', name, image], { stdio: ['pipe', 'pipe', 'ignore'] });
  const listed = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', line => {
    if (JSON.parse(line).id === 1) child.stdin.write(frame(2, 'tools/list', {}));
    else listed.resolve();
  });
  const clientInfo = { name: 'bench', version: '1' };
  child.stdin.write(frame(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }));
  await listed.promise;
  remove.push(async () => {
    child.kill();
    await docker('rm', '-f', name);
  });
}

function frame(id: number, method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}

async function ours(count: number): Promise<void> {
  const configs = Array.from({ length: count }, (_, index) => ({ env: { BENCH: `${index}` }, index }));
  await Promise.all(configs.map(({ env, index }) => host.agent(`did:example:bench-${index}`).load(image, { env })));
}

for (const count of [1, 10]) {
  let cleaning: (() => Promise<void>)[] = [];
  const clean = async () => {
    await Promise.all(cleaning.map(one => one()));
    cleaning = [];
  };
  const medians = await timeInTurn(
    [
      {
        name: `bare docker run × ${count}`,
        run: async () => void (await Promise.all(Array.from({ length: count }, () => bare(cleaning)))),
        after: clean,
      },
      {
        name: `load × ${count}`,
        run: () => ours(count),
        after: async () => {
          const agents = Array.from({ length: count }, (_, index) => host.agent(`did:example:bench-${index}`));
          await Promise.all(
            agents.flatMap(async one => Promise.all((await one.list()).map(({ server }) => one.unload(server)))),
          );
        },
      },
    ],
    rounds,
  );
  report(`${count} at once, to the first tools/list (medians of ${rounds})`, medians);
}
