import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { ImportFilesRequest } from '../../client/api-types.ts';
import { LongshoreError } from '../../core/errors.ts';
import { askForSecrets } from '../ask-secrets.ts';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { importText } from '../render-import.ts';
import { askingService, service } from '../service-command.ts';

const about = `
FILE is the configuration of any client: Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Cline, Roo, Kiro,
Amazon Q, Copilot CLI, Gemini CLI, Trae, mcp-hub, Zed, OpenCode, Crush, Codex, Goose, Continue, LibreChat, fast-agent
or Amp. Its path tells which; --from names it where the path does not. Nothing in it is run or looked up.`;

/** `import`: the servers of other clients' configurations, in one transaction (R20-R22). */
export function importCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('[file]', 'a file, or - for standard input')
    .option('--from <format>', 'the format, where the path does not tell it')
    .option('--dry-run', 'show what would be done, and do nothing')
    .option('--json', 'print JSON');
  askingService(own)
    .addHelpText('after', about)
    .action(async (file, options) => {
      const { terminal } = context;
      if (file === undefined) throw new LongshoreError('usage', 'Say which file, or - for standard input.');
      const from = options.from === undefined ? {} : { from: options.from };
      const files: ImportFilesRequest['files'] = [
        file === '-'
          ? { text: await terminal.readStdin(), ...from }
          : { path: resolve(file), text: await readConfig(file), ...from },
      ];
      const client = await service(context, options);
      const dryRun = options.dryRun === true;
      const home = terminal.env['HOME'] ?? homedir();
      const answer = await client.ask('POST /api/imports', { body: { files, dryRun, home } });
      await printResult(terminal, options.json, answer, () => importText(answer.files, dryRun));
      const failed = answer.files.find(({ error }) => error !== undefined)?.error;
      if (failed) throw new LongshoreError('bad-config', failed.message);
      if (!dryRun) await askForSecrets(terminal, client, answer.files);
    });
}

async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new LongshoreError('usage', `The file ${path} cannot be read.`, { cause: error });
  }
}
