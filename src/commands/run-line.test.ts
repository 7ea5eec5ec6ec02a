import { describe, expect, it } from 'vitest';
import { LongshoreError } from '../core/errors.ts';
import { silentLog } from '../core/ports/log.ts';
import { type Command, command, usage } from './command.ts';
import { failed, partly, succeeded } from './envelope.ts';
import { runLine } from './run-line.ts';

type Context = { readonly ran: string[] };

const table: readonly Command<Context>[] = [
  command({
    name: '!mcp-load',
    tool: 'mcp_load',
    summary: 'Loads.',
    parameters: ['image'],
    flags: ['allow-unsafe'],
    run({ ran }: Context, given) {
      ran.push(`load ${given.arguments.image}${given.flags.has('allow-unsafe') ? ' unsafely' : ''}`);
      return Promise.resolve(succeeded('Loaded.', { image: given.arguments.image }));
    },
  }),
  command({
    name: '!mcp-list',
    tool: 'mcp_list',
    summary: 'Lists.',
    parameters: [],
    flags: [],
    async run({ ran }: Context, _, signal) {
      ran.push('list');
      await Promise.resolve();
      signal.throwIfAborted();
      return partly('Two are listed.', 'docker-unavailable', 'One could not be.');
    },
  }),
  command({
    name: '!mcp-break',
    tool: 'mcp_break',
    summary: 'Breaks.',
    parameters: ['how'],
    flags: [],
    run(_: Context, given) {
      if (given.arguments.how === 'ours')
        throw new LongshoreError('unreachable', 'Nobody is there.', { data: { n: 1 } });
      throw new TypeError('x of undefined at secret-place');
    },
  }),
];

const never = new AbortController().signal;

async function run(line: string) {
  const context: Context = { ran: [] };
  return { envelope: await runLine(table, line, context, silentLog, never), ran: context.ran };
}

describe('running a line', () => {
  it('R28: finds the command whatever its case and hands it its arguments and flags', async () => {
    const { envelope, ran } = await run('!MCP-Load "mcp/time" --allow-unsafe');
    expect(ran).toEqual(['load mcp/time unsafely']);
    expect(envelope).toEqual({ status: 'ok', confirmation: 'Loaded.', data: { image: 'mcp/time' } });
  });

  it.each([
    ['!mcp-load', 'Usage: !mcp-load <image> [--allow-unsafe]. <image> is missing.'],
    ['!mcp-load a b', 'Usage: !mcp-load <image> [--allow-unsafe]. "b" is too much'],
    ['!mcp-load a --nope', 'It has no flag --nope.'],
    ['!mcp-load a --allow-unsafe=yes', 'It has no flag --allow-unsafe=yes.'],
    ['!mcp-list x', 'Usage: !mcp-list. "x" is too much'],
    ['!mcp-load "a', 'not closed'],
  ])('R28: %j is answered with the usage and does nothing', async (line, told) => {
    const { envelope, ran } = await run(line);
    expect(ran).toEqual([]);
    expect(envelope).toMatchObject({ status: 'error', code: 'usage', error: expect.stringContaining(told) as string });
  });

  it.each([
    ['!mcp-listx', 'There is no command !mcp-listx. Did you mean !mcp-list?'],
    ['!mcp-laod x', 'Did you mean !mcp-load?'],
    ['!mcp-', 'There is no command !mcp-.'],
    ['mcp-list', 'Did you mean !mcp-list?'],
    ['!shutdown-everything', 'The commands are !mcp-load, !mcp-list, !mcp-break.'],
    ['', 'There is no command in this line.'],
    ['__proto__', 'There is no command __proto__.'],
  ])('R28: %j names no command: it is told, at most suggested, never run by guess', async (line, told) => {
    const { envelope, ran } = await run(line);
    expect(ran).toEqual([]);
    expect(envelope).toMatchObject({ status: 'error', code: 'usage', error: expect.stringContaining(told) as string });
  });

  it("tells a command's own failure with its code, and of a mistake of ours only that there was one", async () => {
    expect((await run('!mcp-break ours')).envelope).toEqual({
      status: 'error',
      error: 'Nobody is there.',
      code: 'unreachable',
      data: { n: 1 },
    });
    const { envelope } = await run('!mcp-break theirs');
    expect(envelope).toMatchObject({ status: 'error', code: 'internal' });
    expect(JSON.stringify(envelope)).not.toContain('secret-place');
  });

  it('is stopped by its signal', async () => {
    const reason = new LongshoreError('cancelled', 'Stopped.');
    const envelope = await runLine(table, '!mcp-list', { ran: [] }, silentLog, AbortSignal.abort(reason));
    expect(envelope).toMatchObject({ status: 'error', code: 'cancelled' });
  });

  it('shows how each command is typed', () => {
    expect(table.map(one => usage(one))).toEqual([
      '!mcp-load <image> [--allow-unsafe]',
      '!mcp-list',
      '!mcp-break <how>',
    ]);
  });
});

describe('an envelope', () => {
  it('has exactly the texts of its status', () => {
    expect(succeeded('Done.')).toEqual({ status: 'ok', confirmation: 'Done.' });
    expect(failed('timeout', 'Too late.')).toEqual({ status: 'error', error: 'Too late.', code: 'timeout' });
    expect(partly('Half.', 'timeout', 'Other half.')).toEqual({
      status: 'partial',
      confirmation: 'Half.',
      error: 'Other half.',
      code: 'timeout',
    });
  });

  it.each([
    ['ok without confirmation', () => succeeded('')],
    ['ok with a blank one', () => succeeded(' \n')],
    ['error without error', () => failed('internal', '')],
    ['partial without confirmation', () => partly('', 'internal', 'x')],
    ['partial without error', () => partly('x', 'internal', '')],
    ['a text that is none', () => succeeded(undefined as unknown as string)],
  ])('cannot be made otherwise: %s', (_, make) => {
    expect(make).toThrow('does not have the texts');
  });
});
