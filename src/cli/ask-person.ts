import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Where a person is asked. */
export interface Asking {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Nothing is shown of what is typed. */
  readonly hidden: boolean;
}

/** Asks one question and gives the line that was typed, or undefined at the end of input. Ctrl-C ends the process. */
export async function askPerson(question: string, { input, output, hidden }: Asking): Promise<string | undefined> {
  // What readline echoes goes to its output; a deaf one leaves the line dark.
  const deaf = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: hidden ? deaf : output, terminal: true });
  try {
    return await new Promise(resolve => {
      if (hidden) output.write(question);
      lines.question(hidden ? '' : question, resolve);
      lines.once('close', () => resolve(undefined));
      lines.once('SIGINT', () => {
        lines.close();
        process.kill(process.pid, 'SIGINT');
      });
    });
  } finally {
    lines.close();
    if (hidden) output.write('\n');
  }
}
