import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

/** How long a follower waits before it asks again; milliseconds. */
const followEvery = 300;

/** `logs`: the last lines that a server wrote to stderr, and with `-f` those that follow. */
export function logsCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('<ref>', 'a server')
    .option('-f, --follow', 'go on with what is written from now on')
    .option('--tail <lines>', 'only so many of the last lines', lineCount)
    .option('--json', 'print JSON');
  askingService(own).action(async (ref, options) => {
    const { terminal } = context;
    const client = await service(context, options);
    const ask = (query: { tail?: number; after?: number }) =>
      client.ask('GET /api/servers/:ref/logs', { params: { ref }, query });
    let answer = await ask(options.tail === undefined ? {} : { tail: options.tail });
    const print = (lines: readonly string[]) =>
      printResult(terminal, options.json, options.follow ? lines : { ...answer, lines }, () => lines.join('\n'));
    await print(answer.lines);
    while (options.follow) {
      await sleep(followEvery);
      answer = await ask({ after: answer.next });
      if (answer.lines.length > 0) await print(answer.lines);
    }
  });
}

function lineCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number.');
}
