import type { Client } from '../client/client.ts';
import type { Terminal } from './terminal.ts';

/** Does a long work while a person who watches is told what happens to servers; tells nothing where nobody watches. */
export async function withProgress<Result>(client: Client, terminal: Terminal, work: Promise<Result>): Promise<Result> {
  if (!terminal.interactive) return await work;
  const ended = new AbortController();
  const watching = tellStates(client, terminal, ended.signal);
  try {
    return await work;
  } finally {
    ended.abort();
    await watching;
  }
}

async function tellStates(client: Client, terminal: Terminal, signal: AbortSignal): Promise<void> {
  let last = '';
  try {
    for await (const event of client.events(signal)) {
      if (event.type === 'catalog.progress') await terminal.err(`${event.data.catalog}: ${event.data.line}\n`);
      if (event.type !== 'server.state' || event.data.state !== 'starting') continue;
      const { server, sentence } = event.data;
      if (`${server}${sentence}` !== last) await terminal.err(`${server}: ${sentence}\n`);
      last = `${server}${sentence}`;
    }
  } catch {
    // Progress is a courtesy: what matters of a failure is told by the work itself.
  }
}
