import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ended, runLongshore, startLongshore } from './run-longshore.ts';

/** A home of a test alone, on a free port, and the command line that works on it. Its end stops its service. */
export interface LongshoreHome extends AsyncDisposable {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Runs one command line to its end. */
  run(...args: readonly string[]): Promise<Ended>;
  /** Runs one with that on its standard input. */
  pipe(input: string, ...args: readonly string[]): Promise<Ended>;
  /** Runs one whose standard output nobody reads. */
  pipedToNothing(...args: readonly string[]): Promise<Ended>;
  /** Starts one that does not end by itself. */
  watch(...args: readonly string[]): Watching;
  /** Runs one that must succeed, and gives what it printed as JSON. */
  json(...args: readonly string[]): Promise<unknown>;
  /** Starts `serve` in the foreground and waits until it says where it is. */
  serve(...args: readonly string[]): Promise<Foreground>;
  /** What to add to a command that decides, where there is no terminal. */
  readonly asOperator: readonly [string, string];
  /** The process that serves this home; undefined if none does. */
  servicePid(): number | undefined;
}

export interface Watching {
  /** What it has printed so far. */
  out(): string;
  /** Ends it as Ctrl-C does. */
  interrupt(): Promise<Ended>;
}

export interface Foreground {
  readonly url: string;
  readonly signIn: string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export function longshoreHome(more: Record<string, string> = {}): LongshoreHome {
  const parent = mkdtempSync(join(tmpdir(), 'longshore-cli-'));
  const folder = join(parent, 'home');
  const env = { LONGSHORE_HOME: folder, LONGSHORE_PORT: '0', ...more };
  const run = (...args: readonly string[]) => runLongshore(args, { env });
  const note = join(folder, 'lock.json');
  return {
    folder,
    env,
    run,
    pipe(input, ...args) {
      const { child, ended } = startLongshore(args, { env, stdin: 'pipe' });
      child.stdin?.end(input);
      return ended;
    },
    pipedToNothing(...args) {
      const { child, ended } = startLongshore(args, { env });
      child.stdout?.destroy();
      return ended;
    },
    watch(...args) {
      const { child, ended } = startLongshore(args, { env });
      let out = '';
      child.stdout?.on('data', (text: string) => {
        out += text;
      });
      return {
        out: () => out,
        interrupt() {
          child.kill('SIGINT');
          return ended;
        },
      };
    },
    async json(...args) {
      const { code, stdout, stderr } = await run(...args, '--json');
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    async serve(...args) {
      const { child, ended } = startLongshore(['serve', '--json', ...args], { env });
      const said = once(child.stdout ?? child, 'data').then(([data]) => String(data));
      const early = ended.then(({ code, stderr }) => `{"ended":${code},"stderr":${JSON.stringify(stderr)}}`);
      const first = JSON.parse(await Promise.race([said, early]));
      if (typeof first.url !== 'string') throw new Error(`serve did not start: ${JSON.stringify(first)}`);
      return { url: first.url, signIn: first.signIn, kill: signal => void child.kill(signal), ended };
    },
    asOperator: ['--operator-token', join(folder, 'operator.token')],
    servicePid: () => (existsSync(note) ? JSON.parse(readFileSync(note, 'utf8')).pid : undefined),
    async [Symbol.asyncDispose]() {
      await run('stop');
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
