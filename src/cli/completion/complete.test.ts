import { describe, expect, it } from 'vitest';
import type { Client } from '../../client/client.ts';
import type { CommandContext } from '../program.ts';
import { complete } from './complete.ts';

const context = { exit() {}, command: undefined } as unknown as CommandContext;
const asked: string[] = [];

/** A service that knows these. */
const live = () =>
  Promise.resolve({
    ask: (route: string) => {
      asked.push(route);
      const answers: Readonly<Record<string, unknown>> = {
        'GET /api/mcp/status': { servers: [{ server: 'notes', state: 'stopped' }] },
        'GET /api/tools': [{ name: 'notes__add', server: 'notes', tool: 'add', definition: { inputSchema: {} } }],
        'GET /api/approvals': [{ id: 'abc', handleName: 'notes__add', caller: 'client:x' }],
        'GET /api/rules': [{ id: 'r1', level: 'deny', pattern: 'x.*' }],
      };
      return Promise.resolve(answers[route]);
    },
  } as unknown as Pick<Client, 'ask'>);
const dead = () => Promise.reject(new Error('no service'));

const values = async (words: readonly string[], service: () => Promise<Pick<Client, 'ask'>> = live) =>
  (await complete(words, service, context)).map(({ value }) => value);

describe('complete', () => {
  it('offers every command but the hidden one, without asking anybody', async () => {
    const commands = await values([''], dead);
    expect(commands).toEqual(expect.arrayContaining(['try', 'serve', 'list', 'always-ask', 'completion']));
    expect(commands).not.toContain('__complete');
  });

  it('offers the options of a command, of one below a command, and the choices of an option', async () => {
    expect(await values(['serve', '--'], dead)).toEqual(expect.arrayContaining(['--port', '--open', '--help']));
    expect(await values(['serve', '--'], dead)).not.toContain('--background');
    expect(await values(['audit', 'export', '--'], dead)).toEqual(expect.arrayContaining(['--since', '--agent']));
    expect(await values(['add', 'x', '--transport', ''], dead)).toEqual(['stdio', 'streamable-http', 'sse']);
    expect(await values(['approve', 'abc', '--operator-token', ''], dead)).toEqual([':files']);
    expect(await values(['agent', ''], dead)).toEqual(['add', 'ls']);
    expect(await values(['completion', ''], dead)).toEqual(['bash', 'zsh', 'fish']);
    expect(await values(['import', ''], dead)).toEqual([':files']);
  });

  it('offers the names that the running service knows, each where it belongs', async () => {
    for (const command of ['remove', 'unload', 'logs', 'tools']) expect(await values([command, ''])).toEqual(['notes']);
    expect(await values(['logs', '--tail', '5', ''])).toEqual(['notes']);
    expect(await values(['logs', 'notes', ''])).toEqual([]);
    expect(await values(['call', ''])).toEqual(['notes.']);
    expect(await values(['approve', ''])).toEqual(['abc']);
    expect(await values(['rules', 'rm', ''])).toEqual(['r1']);
    expect(await values(['rules', ''])).toEqual(['rm']);
  });

  it('asks the service for nothing where an option’s value is typed, or a server’s own command line', async () => {
    asked.length = 0;
    expect(await values(['logs', '--tail', ''])).toEqual([]);
    expect(await values(['add', 'x', '--', 'npx', ''])).toEqual([':files']);
    expect(await values(['nonsense', ''])).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('offers nothing, silently, where no service answers', async () => {
    expect(await values(['remove', ''], dead)).toEqual([]);
    expect(await values(['rules', ''], dead)).toEqual(['rm']);
  });
});
