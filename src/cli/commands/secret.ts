import type { Command } from '@commander-js/extra-typings';
import type { SecretsAnswer } from '../../client/api-types.ts';
import { LongshoreError } from '../../core/errors.ts';
import { printTable } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { dateText } from '../time-text.ts';

const columns: readonly Column<SecretsAnswer['secrets'][number]>[] = [
  { header: 'NAME', text: ({ name }) => name },
  { header: 'KEPT IN', text: ({ provider }) => (provider === 'keychain' ? 'keychain' : 'encrypted file') },
  { header: 'SET (UTC)', text: ({ updatedAt }) => dateText(updatedAt) },
];

/** `secret`: values for `${secret:NAME}` in a server's configuration; none is ever shown. */
export function secretCommand(command: Command, context: CommandContext): void {
  const { terminal } = context;
  const set = command
    .command('set')
    .description('store a secret: asks for its value on a terminal, else reads standard input')
    .argument('<name>');
  askingService(set).action(async (name, options) => {
    const value = await secretValue(name, terminal);
    const client = await service(context, options);
    const { firstUse } = await client.ask('PUT /api/secrets/:name', { params: { name }, body: { value } });
    if (firstUse !== null) await terminal.err(`${firstUse}\n`);
    await terminal.err(`Stored. Use it as \${secret:${name}}\n`);
  });
  const list = command.command('ls').alias('list').description('list the names').option('--json', 'print JSON');
  askingService(list).action(async options => {
    const client = await service(context, options);
    const answer = await client.ask('GET /api/secrets');
    if (options.json) return await terminal.out(`${JSON.stringify(answer, null, 2)}\n`);
    await printTable(terminal, undefined, answer.secrets, columns, 'No secret is stored.');
  });
  const remove = command.command('rm').description('remove a secret').argument('<name>');
  askingService(remove).action(async (name, options) => {
    const client = await service(context, options);
    const { removed } = await client.ask('DELETE /api/secrets/:name', { params: { name } });
    if (!removed)
      throw new LongshoreError('usage', `There is no secret ${JSON.stringify(name)}. See: longshore secret ls`);
    await terminal.err(`Removed ${name}.\n`);
  });
}

/** Never from the command line, where every program of this machine could read it. */
async function secretValue(name: string, terminal: Terminal): Promise<string> {
  const value = terminal.canAsk
    ? await terminal.ask(`Value of ${name} (not shown): `, true)
    : (await terminal.readStdin()).replace(/\r?\n$/, '');
  if (value !== undefined && value !== '') return value;
  throw new LongshoreError('usage', 'There is no value. Type it, or give it on standard input.');
}
