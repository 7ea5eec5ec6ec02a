import { plainText } from '../runners/transport/plain-text.ts';

/** What `out` and `show` reject with once nobody reads any more (`| head`): the command ends, quietly. */
export class ReaderGone extends Error {}

/** Where a command reads and writes: results on `out`, everything else on `err`. */
export interface Terminal {
  readonly env: Record<string, string | undefined>;
  /** True where a person watches stderr, so progress may be shown. */
  readonly interactive: boolean;
  /** True where a person can also be asked: stdin and stderr are a terminal. */
  readonly canAsk: boolean;
  /** True where results may be coloured: stdout is a terminal, and NO_COLOR is not set. */
  readonly colour: boolean;
  /** Columns that results have; undefined for a pipe. */
  readonly width: number | undefined;
  /** Writes text to stdout and settles when it is handed over, so that no exit cuts it off. Rejects with `ReaderGone`. */
  out(text: string): Promise<void>;
  /** Writes what a server said to stdout: as it is to a pipe, without control codes to a terminal, which would obey them. */
  show(text: string): Promise<void>;
  /** The same on stderr. */
  err(text: string): Promise<void>;
  readStdin(): Promise<string>;
  /** Asks a person, with the question on stderr; `hidden` shows nothing of what is typed. Undefined at the end of input. */
  ask(question: string, hidden?: boolean): Promise<string | undefined>;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { env, stdin, stdout, stderr } = process;
  const interactive = stderr.isTTY === true;
  // Each failed write is told to whoever wrote; without a listener it would end the process with its stack.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  return {
    env,
    interactive,
    canAsk: interactive && stdin.isTTY === true,
    colour: stdout.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
    width: stdout.isTTY ? stdout.columns : undefined,
    out: text => write(stdout, text),
    show: text => write(stdout, harmless(stdout, text)),
    // Nobody reads what is told beside the result: the command itself goes on.
    err: text => write(stderr, harmless(stderr, text)).catch(ignoreReaderGone),
    async readStdin() {
      const chunks: Buffer[] = [];
      for await (const chunk of stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('utf8');
    },
    async ask(question, hidden = false) {
      const { askPerson } = await import('./ask-person.ts');
      return await askPerson(question, { input: stdin, output: stderr, hidden });
    },
  };
}

function harmless(stream: NodeJS.WriteStream, text: string): string {
  return stream.isTTY ? text.split('\n').map(plainText).join('\n') : text;
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, error => {
      if (!error) resolve();
      else reject(isPipeClosed(error) ? new ReaderGone() : error);
    });
  });
}

function isPipeClosed(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || error.code === 'EOF';
}

function ignoreReaderGone(error: unknown): void {
  if (!(error instanceof ReaderGone)) throw error;
}
