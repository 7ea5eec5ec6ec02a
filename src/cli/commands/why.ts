import { readFile } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { LongshoreError } from '../../core/errors.ts';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';
import { toolArguments } from '../tool-arguments.ts';

/** `why`: which rule decides about a call, and which one it beats. Nothing is called. */
export function whyCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('<tool>', 'server.tool, or the name of a handle')
    .argument('[arguments...]', 'name=value, as for call: rules may look at them')
    .option('--args <json>', 'the arguments as one JSON object')
    .option('--caller <caller>', 'operator, library or client:NAME; operator if not said')
    .option('--json', 'print JSON');
  askingService(own).action(async (name, words, options) => {
    const { terminal } = context;
    const client = await service(context, options);
    const [tool] = await client.ask('GET /api/tools', { query: { tool: name } });
    if (tool === undefined) throw new LongshoreError('unknown-tool', `There is no tool ${JSON.stringify(name)}.`);
    const sources = { readFile: (path: string) => readFile(path, 'utf8'), readStdin: terminal.readStdin };
    const isSaid = words.length > 0 || options.args !== undefined;
    const args = isSaid
      ? { args: await toolArguments(words, options.args, tool.definition['inputSchema'], sources) }
      : {};
    const caller = options.caller === undefined ? {} : { caller: options.caller };
    const answer = await client.ask('GET /api/rules/why', { query: { tool: tool.name, ...args, ...caller } });
    await printResult(terminal, options.json, answer, () => `${answer.level}: ${answer.because}`);
  });
}
