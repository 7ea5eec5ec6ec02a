import { readFile } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import type { ImportAnswer } from '../../client/api-types.ts';
import { LongshoreError } from '../../core/errors.ts';
import { printResult, tellNotes } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

const shapes = `
FILE holds JSON as Cursor, Claude Desktop and VS Code have it (servers by name), a list
of servers, or one server. Other clients' formats, and looking for their files on this machine, come in a later version.`;

/** `import`: the servers of another client's configuration, in one transaction (R20-R22). */
export function importCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('[file]', 'a file, or - for standard input')
    .option('--dry-run', 'show what would be done, and do nothing')
    .option('--json', 'print JSON');
  askingService(own)
    .addHelpText('after', shapes)
    .action(async (file, options) => {
      const { terminal } = context;
      if (file === undefined) {
        throw new LongshoreError(
          'usage',
          'Say which file, or - for standard input. Looking for the files of other clients comes in a later version.',
        );
      }
      const json = file === '-' ? await terminal.readStdin() : await readConfig(file);
      const client = await service(context, options);
      const body = { json, dryRun: options.dryRun === true };
      const answer = await client.ask('POST /api/mcp-servers/import-json', { body });
      for (const { name, notes } of [...answer.created, ...answer.updated]) {
        await tellNotes(
          terminal,
          notes.map(({ message }) => ({ message: `${name}: ${message}` })),
        );
      }
      await printResult(terminal, options.json, answer, () => importText(answer, options.dryRun === true));
    });
}

async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new LongshoreError('usage', `The file ${path} cannot be read.`, { cause: error });
  }
}

/** One line for each entry, and what became of it. */
export function importText(answer: Pick<ImportAnswer, 'created' | 'updated' | 'skipped'>, dryRun: boolean): string {
  const would = dryRun ? 'would be ' : '';
  return [
    ...answer.created.map(({ name }) => `${would}added    ${name}`),
    ...answer.updated.map(({ name }) => `${would}updated  ${name}`),
    ...answer.skipped.map(({ index, key, reason }) => `${would}skipped  ${key ?? `entry ${index}`}: ${reason}`),
  ].join('\n');
}
