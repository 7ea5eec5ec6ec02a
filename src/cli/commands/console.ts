import { createInterface } from 'node:readline';
import type { Command } from '@commander-js/extra-typings';
import type { CommandAnswer } from '../../client/api-types.ts';
import { tellFailure } from '../failure.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';
import { visibleText } from '../visible-text.ts';

/** `console`: an interactive prompt for the `!mcp-` commands (R28); from a pipe it runs each line. */
export function consoleCommand(command: Command, context: CommandContext): void {
  const own = command.option('--json', 'print each answer as one line of JSON');
  askingService(own).action(async options => {
    const { terminal } = context;
    const client = await service(context, options);
    const lines = createInterface({
      input: process.stdin,
      ...(terminal.canAsk && { output: process.stderr, terminal: true, prompt: 'longshore> ' }),
    });
    if (terminal.canAsk) {
      await terminal.err('Commands begin with !mcp-, such as !mcp-list. exit, or Ctrl-D, ends.\n');
      lines.on('SIGINT', () => lines.close());
      lines.prompt();
    }
    for await (const line of lines) {
      const text = line.trim();
      if (text === 'exit' || text === 'quit') break;
      if (text !== '') {
        try {
          const answer = await client.ask('POST /api/commands', { body: { line } });
          await (options.json ? terminal.out(`${JSON.stringify(answer)}\n`) : terminal.show(`${answerText(answer)}\n`));
        } catch (error) {
          // One that could not be asked does not end the console.
          await tellFailure(error, options.json === true, terminal);
        }
      }
      if (terminal.canAsk) lines.prompt();
    }
    lines.close();
  });
}

/** What was done and what was not. */
export function answerText({ confirmation, error }: CommandAnswer): string {
  const parts = [confirmation, error === undefined ? undefined : `Error: ${error}`];
  return parts
    .filter(part => part !== undefined)
    .flatMap(part => part.split('\n'))
    .map(visibleText)
    .join('\n');
}
