import { buildContainerPrefix, docker } from '../fixtures/docker/images.ts';

/** Whether this machine can run the tests that need a real engine; `reason` says why not. */
export type Engine = { readonly available: true } | { readonly available: false; readonly reason: string };

let engine: Promise<Engine> | undefined;

/**
 * Asks for a real engine, for `describe.runIf(engine.available)`. Without one a developer's run leaves those tests out
 * and says so in one line; in CI a missing engine is a failure (`test/docker/engine` provides one).
 */
export function realEngine(): Promise<Engine> {
  engine ??= look();
  return engine;
}

async function look(): Promise<Engine> {
  const reason = await whyNot();
  if (reason === undefined) return { available: true };
  if (process.env.CI === 'true') throw new Error(`CI must run the Docker tests, but ${reason}`);
  process.stderr.write(`Docker tests left out: ${reason} (test/docker/engine can provide one)\n`);
  return { available: false, reason };
}

async function whyNot(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'the fixture images need Linux to be built';
  try {
    const os = await docker('version', '--format', '{{.Server.Os}}');
    return os === 'linux' ? undefined : `the engine runs ${os} containers`;
  } catch (error) {
    return `no Docker engine answers: ${error instanceof Error ? error.message.split('\n').at(-1) : String(error)}`;
  }
}

/** The containers of one agent, as `name state`, sorted: what it has left, whoever else uses this engine. */
export async function containersOf(agentId: string): Promise<readonly string[]> {
  const filter = `label=dev.longshore.agent=${agentId}`;
  const lines = await docker('ps', '--all', '--filter', filter, '--format', '{{.Names}} {{.State}}');
  return lines
    .split('\n')
    .filter(line => line !== '')
    .sort();
}

/** Every container of the engine, running or not, as `name image state`, sorted; what image building makes is left out. */
export async function allContainers(): Promise<readonly string[]> {
  const lines = await docker('ps', '--all', '--no-trunc', '--format', '{{.Names}} {{.Image}} {{.State}}');
  return lines
    .split('\n')
    .filter(line => line !== '' && !line.startsWith(buildContainerPrefix))
    .sort();
}
