import { plainText } from '../runners/wire/plain-text.ts';

/** Where a command reads and writes: results on `out`, everything else on `err`. */
export interface Terminal {
  readonly env: Record<string, string | undefined>;
  /** True where a person watches stderr, so progress may be shown. */
  readonly interactive: boolean;
  /** Writes text to stdout and settles when it is handed over, so that no exit cuts it off. */
  out(text: string): Promise<void>;
  /** Writes what a server said to stdout: as it is to a pipe, without control codes to a terminal, which would obey them. */
  show(text: string): Promise<void>;
  err(text: string): Promise<void>;
  readStdin(): Promise<string>;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  return {
    env: process.env,
    interactive: process.stderr.isTTY === true,
    out: text => write(process.stdout, text),
    show: text => write(process.stdout, process.stdout.isTTY ? text.split('\n').map(plainText).join('\n') : text),
    err: text => write(process.stderr, text),
    async readStdin() {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, error => {
      // A reader that went away (`| head`) is not a failure of the command.
      if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error);
      else resolve();
    });
  });
}
