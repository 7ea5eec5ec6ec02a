import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { killMarked } from '../marked-processes.ts';
import { type ContainerTask, removeIdFiles, runTask, type WatchdogLine } from './watchdog-tasks.ts';

// The program that outlives the host: started detached with the read end of a pipe as its stdin, it waits for the end
// of that pipe, which is the host's death however it died, and then removes what is the host's. argv: the instance.

/** How long a server that was just being started may need until it can be seen. */
const secondLook = 3_000;
const rounds = 200;

const instance = process.argv[2];
const tracked = new Set<number>();
const tasks: ContainerTask[] = [];

function obey(line: WatchdogLine): void {
  if ('track' in line) tracked.add(line.track);
  else if ('untrack' in line) tracked.delete(line.untrack);
  else if ('task' in line) tasks.push(line.task);
  else process.exit(0);
}

async function cleanUp(): Promise<void> {
  if (instance === undefined) return;
  const { platform } = process;
  const containers = Promise.all(tasks.map(runTask));
  if (platform === 'win32') await Promise.all([...tracked].map(endTree));
  await killMarked({ instance }, { platform, rounds });
  await pause(secondLook);
  await killMarked({ instance }, { platform, rounds });
  await containers;
  await removeIdFiles(instance);
}

/** Windows: ends a process with all its children. */
function endTree(pid: number): Promise<void> {
  return new Promise(resolve => {
    execFile('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve());
  });
}

// Whoever ends the host's whole session politely must not end the one that cleans up after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) obey(JSON.parse(line) as WatchdogLine);
});
process.stdin.once('error', () => process.stdin.destroy()); // the same death, told otherwise
process.stdin.once('close', () => void cleanUp().then(() => process.exit(0)));
