import { Command } from '@commander-js/extra-typings';
import { version } from '../core/version.ts';
import { type CommandEntry, commandEntry, commandTable } from './command-table.ts';
import type { Terminal } from './terminal.ts';

/** What every command's action is given besides its own options. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** What stood behind `--`: a server's own command line. */
  readonly command: readonly string[] | undefined;
  /** Says which code the process ends with; 0 if never called. */
  exit(code: number): void;
}

/**
 * The whole command line; only the file of the command that `argv` names is loaded. What it gives throws commander's
 * CommanderError for help, version and usage errors.
 */
export async function program(argv: readonly string[], context: CommandContext): Promise<Command> {
  const isQuiet = argv.includes('--json');
  const root = new Command('longshore')
    .description('Runs, governs and bridges MCP servers, and leaves nothing behind.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .configureHelp({ showGlobalOptions: true })
    // An option belongs to the command behind which it stands: `audit export --limit` is no option of `audit`.
    .enablePositionalOptions();
  const named = namedCommand(argv);
  for (const entry of commandTable) {
    const command = new Command(entry.name).description(entry.summary);
    if (entry.alias !== undefined) command.alias(entry.alias);
    if (entry === named) (await entry.load())(command, context);
    strict(command, isQuiet);
    root.addCommand(command, { hidden: entry.hidden === true });
  }
  strict(root, isQuiet);
  return root;
}

/** The entry that is run, or whose help is asked for. */
function namedCommand(argv: readonly string[]): CommandEntry | undefined {
  const [first, second] = argv.filter(word => !word.startsWith('-'));
  return commandEntry(first === 'help' ? second : first);
}

/** What is wrong is an error with a suggestion, for commands below commands too; a program gets it as JSON instead (main.ts). */
function strict(command: Command, isQuiet: boolean): void {
  command.exitOverride().showSuggestionAfterError(true).enablePositionalOptions();
  if (isQuiet) command.configureOutput({ writeErr() {} });
  for (const below of command.commands) strict(below as Command, isQuiet);
}
