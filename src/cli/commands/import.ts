import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { ImportedFileView, ImportFilesRequest } from '../../client/api-types.ts';
import type { Client } from '../../client/client.ts';
import { LongshoreError } from '../../core/errors.ts';
import { askForSecrets } from '../ask-secrets.ts';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { importText } from '../render-import.ts';
import { askingService, service } from '../service-command.ts';
import type { Terminal } from '../terminal.ts';

const about = `
FILE is the configuration of any client: Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Cline, Roo, Kiro,
Amazon Q, Copilot CLI, Gemini CLI, Trae, mcp-hub, Zed, OpenCode, Crush, Codex, Goose, Continue, LibreChat, fast-agent
or Amp. Its path tells which; --from names it where the path does not. Nothing in it is run or looked up.`;

/** `import`: the servers of other clients' configurations, in one transaction (R20-R22). */
export function importCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('[file]', 'a file, or - for standard input; without one, what is found on this machine')
    .option('--from <format>', 'the format, where the path does not tell it')
    .option('--prefer <format>', 'of different servers of one name, take the one of this format')
    .option('--undo', 'take the last import back')
    .option('--yes', 'save what is found without asking')
    .option('--dry-run', 'show what would be done, and do nothing')
    .option('--json', 'print JSON');
  askingService(own)
    .addHelpText('after', about)
    .action(async (file, options) => {
      const { terminal } = context;
      if (options.undo) return await undo(terminal, await service(context, options), options.json);
      const home = terminal.env['HOME'] ?? homedir();
      const files = await filesToImport(terminal, file, options.from, home);
      if (files.length === 0) return await terminal.err('No file of another client was found.\n');
      const client = await service(context, options);
      const { prefer } = options;
      const ask = (dryRun: boolean) =>
        client.ask('POST /api/imports', { body: { files, dryRun, home, ...(prefer !== undefined && { prefer }) } });
      const mustAsk = file === undefined && options.yes !== true;
      const plan = options.dryRun || mustAsk ? await ask(true) : undefined;
      if (plan) await printResult(terminal, options.json, plan, () => importText(plan.files, true));
      if (options.dryRun) return throwIfUnread(plan?.files ?? [], file);
      if (plan && !(await isWanted(terminal))) return;
      const answer = await ask(false);
      await printResult(terminal, options.json, answer, () => importText(answer.files, false));
      throwIfUnread(answer.files, file);
      await askForSecrets(terminal, client, answer.files);
    });
}

/** What was named, or everything that clients have on this machine and in this folder. */
async function filesToImport(
  terminal: Terminal,
  file: string | undefined,
  from: string | undefined,
  homeDir: string,
): Promise<ImportFilesRequest['files']> {
  const format = from === undefined ? {} : { from };
  if (file === '-') return [{ text: await terminal.readStdin(), ...format }];
  if (file !== undefined) return [{ path: resolve(file), text: await readConfig(file), ...format }];
  // The places of all clients are only loaded by whoever looks for them.
  const { findClientFiles } = await import('../connect/find-files.ts');
  return [...findClientFiles({ env: terminal.env, platform: process.platform, homeDir }, process.cwd())];
}

/** Of a file that was named, that it cannot be read is a failure; of many that were found, one line. */
function throwIfUnread(files: readonly ImportedFileView[], named: string | undefined): void {
  const error = named === undefined ? undefined : files.find(file => file.error !== undefined)?.error;
  if (error) throw new LongshoreError('bad-config', error.message);
}

async function isWanted(terminal: Terminal): Promise<boolean> {
  if (!terminal.canAsk) {
    throw new LongshoreError(
      'usage',
      'Nothing was saved: there is no terminal to ask on. Say --yes to save all this, or name one file.',
    );
  }
  return /^y(?:es)?$/i.test(((await terminal.ask('Save these? [y/N] ')) ?? '').trim());
}

async function undo(terminal: Terminal, client: Client, json: true | undefined): Promise<void> {
  const answer = await client.ask('DELETE /api/imports/last');
  if (Object.values(answer).every(names => names.length === 0)) {
    throw new LongshoreError('usage', 'There is no import to undo: nothing was imported, or it was undone already.');
  }
  const line = (word: string, names: readonly string[]) => (names.length === 0 ? [] : [`${word}: ${names.join(', ')}`]);
  await printResult(terminal, json, answer, () =>
    [
      ...line('removed', answer.removed),
      ...line('as before', answer.restored),
      ...line('changed since, left as they are', answer.left),
    ].join('\n'),
  );
}

async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new LongshoreError('usage', `The file ${path} cannot be read.`, { cause: error });
  }
}
