import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

const examples = `
Examples:
  longshore call everything.echo message=hi
  longshore call everything.echo --args '{"message":"hi"}' --json

A call that must wait for your decision asks here, on a terminal; without one the exit code is 7, and stderr says where to
approve it. Exit codes: 4 the server does not answer, 5 the tool says that it failed, 6 denied, 8 too late.`;

/** `call`: one call of a tool, through governed dispatch. */
export function callCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('<tool>', 'server.tool, or the name of a handle')
    .argument('[arguments...]', 'name=value, name=@file or name=- (stdin), read by the tool’s own schema')
    .option('--args <json>', 'the arguments as one JSON object')
    .option('--timeout <duration>', 'limit of the call itself: 500ms, 30s, 5m')
    .option('--json', 'print the result as JSON, verbatim');
  askingService(own)
    .addHelpText('after', examples)
    .action(async (tool, words, options) => {
      const { callTool } = await import('../call-tool.ts');
      const client = await service(context, options);
      context.exit(await callTool({ tool, words, ...options }, client, context.terminal));
    });
}
