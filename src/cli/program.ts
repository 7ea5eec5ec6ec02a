import { Command } from '@commander-js/extra-typings';
import { version } from '../core/version.ts';
import { tryCommand } from './commands/try.ts';
import type { Terminal } from './terminal.ts';

/** What every command's action is given besides its own options. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** What stood behind `--`: a server's own command line. */
  readonly command: readonly string[] | undefined;
  /** Says which code the process ends with; 0 if never called. */
  exit(code: number): void;
}

/** The commands, one file each in commands/. */
const commands = [tryCommand];

/** The whole command line; throws commander's CommanderError for help, version and usage errors. */
export function program(context: CommandContext): Command {
  const root = new Command('longshore')
    .description('Runs, governs and bridges MCP servers, and leaves nothing behind.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });
  for (const command of commands) {
    const one = command(context).exitOverride().showSuggestionAfterError(true);
    root.addCommand(one as unknown as Command);
  }
  return root;
}
