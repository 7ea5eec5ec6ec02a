import type { Command } from '@commander-js/extra-typings';
import type { TokenView } from '../../client/api-types.ts';
import { LongshoreError } from '../../core/errors.ts';
import { printResult, printTable } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { readScopeFlags, scopeText, withScopeFlags, withWideningFlags } from '../scope-flags.ts';
import { askingService, service } from '../service-command.ts';
import type { Column } from '../table.ts';
import { timeText } from '../time-text.ts';

const columns: readonly Column<TokenView>[] = [
  { header: 'NAME', text: ({ name }) => name },
  { header: 'CALLER', text: ({ caller }) => caller },
  { header: 'REACHES', text: ({ scope }) => scopeText(scope), shrinks: true },
  {
    header: 'LAST USED',
    text: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : `${timeText(Date.now() - lastUsedAt)} ago`),
  },
  { header: 'STATE', text: ({ revokedAt }) => (revokedAt === null ? '' : 'revoked') },
  { header: 'AGENT', text: ({ agentId }) => agentId },
];

const examples = `
Examples:
  longshore token create claude
  longshore token create cursor --server github --tools '*.read_*' --tools 'github.search_*'
  longshore token create ci --read-only --pin 'github.get_*'
  longshore token set ci --no-read-only --tools '*'`;

/** `token`: the tokens of clients, each a caller of its own. */
export function tokenCommand(command: Command, context: CommandContext): void {
  const { terminal } = context;
  const create = command
    .command('create')
    .description('make a token for a client; it is shown this once')
    .argument('<name>', 'of the client')
    .option('--json', 'print JSON');
  askingService(withScopeFlags(create))
    .addHelpText('after', examples)
    .action(async (name, options) => {
      const scope = readScopeFlags(options);
      const client = await service(context, options);
      const made = await client.ask('POST /api/tokens', { body: { name, scope } });
      await printResult(terminal, options.json, made, () => made.token);
      if (!options.json)
        await terminal.err(`It is shown this once. ${made.caller} reaches its tools at ${client.url}/mcp\n`);
    });
  const set = command
    .command('set')
    .description('change what the token of a client reaches; what is not said stays')
    .argument('<name>', 'of the client')
    .option('--json', 'print JSON');
  askingService(withWideningFlags(withScopeFlags(set))).action(async (name, options) => {
    const scope = readScopeFlags(options);
    if (Object.keys(scope).length === 0) {
      throw new LongshoreError('usage', 'Say what to change, e.g. --read-only. See: longshore token set --help');
    }
    const client = await service(context, options);
    const changed = await client.ask('PATCH /api/tokens/:name', { params: { name }, body: { scope } });
    await printResult(terminal, options.json, changed, () => '');
    if (!options.json) await terminal.err(`${changed.caller} reaches now: ${scopeText(changed.scope)}\n`);
  });
  const list = command
    .command('ls')
    .alias('list')
    .description('list the clients with tokens')
    .option('--json', 'print JSON');
  askingService(list).action(async options => {
    const client = await service(context, options);
    const tokens = await client.ask('GET /api/tokens');
    await printTable(terminal, options.json, tokens, columns, 'No client has a token.');
  });
  const revoke = command.command('revoke').description('take a client its token for good').argument('<name>');
  askingService(revoke).action(async (name, options) => {
    const client = await service(context, options);
    const { removed } = await client.ask('DELETE /api/tokens/:name', { params: { name } });
    if (!removed)
      throw new LongshoreError('usage', `No client ${JSON.stringify(name)} has a token. See: longshore token ls`);
    await terminal.err(`The token of ${name} holds no more.\n`);
  });
}
