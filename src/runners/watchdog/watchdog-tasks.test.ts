import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ContainerTask, runTask } from './watchdog-tasks.ts';

/** A docker that has these containers until they are removed, and tells how it was called. */
async function fakeDocker(ids: readonly string[], failures = 0) {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-'));
  const program = join(folder, 'docker');
  await writeFile(join(folder, 'ids'), ids.map(id => `${id}\n`).join(''));
  await writeFile(join(folder, 'failures'), 'x'.repeat(failures));
  const script = `#!/bin/sh
cd ${folder}
echo "$TEST_ENGINE: $*" >> calls
if [ -s failures ]; then printf %s "$(tail -c +2 failures)" > failures; exit 1; fi
case "$*" in
  *' ps '*) cat ids ;;
  *' rm '*) : > ids ;;
esac
`;
  await writeFile(program, script, { mode: 0o755 });
  const task: ContainerTask = {
    label: 'dev.longshore.instance=abc',
    program,
    globals: ['--context', 'x'],
    env: { TEST_ENGINE: 'engine', PATH: process.env['PATH'] ?? '' },
  };
  const calls = async (): Promise<string[]> => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');
  return { task, calls };
}

describe('R1: runTask', () => {
  it('force-removes every container with the label, and looks again until there is none', async () => {
    const { task, calls } = await fakeDocker(['c1', 'c2']);
    await runTask(task);
    const list = 'engine: --context x ps -aq --no-trunc --filter label=dev.longshore.instance=abc';
    expect(await calls()).toEqual([list, 'engine: --context x rm -f -v c1 c2', list, list, list, list]);
  });

  it('tries again when the engine does not answer', async () => {
    const { task, calls } = await fakeDocker(['c1'], 2);
    await runTask(task);
    expect((await calls()).filter(call => call.includes(' rm '))).toHaveLength(1);
  });
});
