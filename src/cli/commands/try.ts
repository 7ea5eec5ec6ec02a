import { readFile } from 'node:fs/promises';
import { type Command, Option } from '@commander-js/extra-typings';
import { LongshoreError } from '../../core/errors.ts';
import { collect } from '../collect.ts';
import type { CommandContext } from '../program.ts';

const examples = `
Examples:
  longshore try -- npx -y @modelcontextprotocol/server-everything
  longshore try --call echo message=hi -- npx -y @modelcontextprotocol/server-everything
  longshore try --url https://example.com/mcp --header "Authorization: Bearer TOKEN"

Nothing is saved or recorded, and nothing of the server is left behind.`;

/** `try`: starts one server, lists its tools or calls one, and stops it; no service, nothing saved. */
export function tryCommand(command: Command, context: CommandContext): void {
  command
    .argument('[arguments...]', 'arguments of --call, as name=value, name=@file or name=- (stdin)')
    .usage('[options] [name=value...] -- COMMAND [ARG...]   or   try [options] --url URL')
    .option('--call <tool>', 'call this tool instead of listing')
    .option('--args <json>', 'arguments of --call as one JSON object')
    .option('--url <url>', 'connect to a remote server')
    .addOption(
      new Option('--transport <transport>', 'only this transport, without trying the other').choices([
        'streamable-http',
        'sse',
      ] as const),
    )
    .option('--header <header>', "send this header: 'Name: value' or NAME=VALUE (may be repeated)", collect, [])
    .option('--env <name=value>', "set this variable in the server's environment (may be repeated)", collect, [])
    .option('--cwd <folder>', "the server's working folder")
    .option('--timeout <duration>', 'limit of --call: 500ms, 30s, 5m')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (words, options) => {
      if (words.length > 0 && options.call === undefined) {
        throw new LongshoreError('usage', `Arguments need --call TOOL; a server's command stands behind --.`);
      }
      // The parts that start servers are large; help and usage errors should not wait for them.
      const { trial } = await import('../trial.ts');
      const sources = { readFile: (path: string) => readFile(path, 'utf8'), readStdin: context.terminal.readStdin };
      context.exit(await trial({ words, sources, ...options, command: context.command }, context.terminal));
    });
}
