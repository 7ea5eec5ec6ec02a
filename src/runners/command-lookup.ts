import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { LongshoreError } from '../core/errors.ts';
import { type Environment, variable } from './environment.ts';
import { installHint } from './launchers.ts';
import { expandFolder, programFolderPatterns } from './program-folders.ts';
import { isBatchFile, programNames, shimTarget } from './windows-shim.ts';

/** What is looked for and where. */
export interface CommandLookup {
  readonly command: string;
  /** The working folder of the server; a relative path is meant from there. */
  readonly cwd: string | undefined;
  /** The server's environment: its PATH is searched first. */
  readonly env: Environment;
  /** Our own environment: its PATH is next. */
  readonly ours: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  /** Asked only when both have nothing. */
  readonly loginPath: () => Promise<readonly string[]>;
  readonly disk?: Disk;
}

/** The two questions to the file system. */
export interface Disk {
  isProgram(file: string): Promise<boolean>;
  read(file: string): Promise<string>;
}

/** A program by absolute path; never a shell. */
export interface FoundCommand {
  readonly file: string;
  /** Arguments before the configured ones: the script of a shim. */
  readonly args: readonly string[];
  /** The PATH that the server needs to find the program's neighbours (`npx` needs `node`); absent if it has it already. */
  readonly path?: string;
}

/**
 * Finds a command as a user's terminal would. Throws `command-not-found`, which names the folders that were searched and the
 * likely fix, or `failed-to-start` for a batch file that cannot be started without a shell.
 */
export async function lookUpCommand(lookup: CommandLookup): Promise<FoundCommand> {
  const { command, cwd, env, ours, platform } = lookup;
  const path = platform === 'win32' ? win32 : posix;
  if (command.includes('/') || (platform === 'win32' && command.includes('\\'))) {
    const found = await firstProgram([path.resolve(cwd ?? '', path.dirname(command))], path.basename(command), lookup);
    if (found === undefined) throw notAProgram(path.resolve(cwd ?? '', command));
    return startable(found, lookup);
  }
  const split = (text: string | undefined): readonly string[] =>
    (text ?? '').split(path.delimiter).filter(folder => path.isAbsolute(folder));
  const own = split(variable(env, 'PATH', platform));
  const onPath = new Set<string>();
  for (const folders of [() => own, () => split(variable(ours, 'PATH', platform)), lookup.loginPath]) {
    const fresh = (await folders()).filter(folder => !onPath.has(folder));
    for (const folder of fresh) onPath.add(folder);
    const found = await firstProgram(fresh, command, lookup);
    if (found !== undefined) return withNeighbours(await startable(found, lookup), found, own, onPath, path);
  }
  const patterns = programFolderPatterns({ ...lookup, env: ours }).filter(pattern => !onPath.has(pattern));
  for (const pattern of patterns) {
    const found = await firstProgram(await expandFolder(pattern), command, lookup);
    if (found !== undefined) return withNeighbours(await startable(found, lookup), found, own, onPath, path);
  }
  throw notFound(command, [...onPath, ...patterns]);
}

async function firstProgram(
  folders: readonly string[],
  command: string,
  { platform, env, disk = realDisk }: CommandLookup,
): Promise<string | undefined> {
  const path = platform === 'win32' ? win32 : posix;
  const names = platform === 'win32' ? programNames(command, variable(env, 'PATHEXT', platform)) : [command];
  for (const folder of folders) {
    for (const name of names) {
      const file = path.join(folder, name);
      if (await disk.isProgram(file)) return file;
    }
  }
  return undefined;
}

async function startable(file: string, lookup: CommandLookup): Promise<FoundCommand> {
  if (lookup.platform !== 'win32' || !isBatchFile(file)) return { file, args: [] };
  const target = shimTarget(file, await (lookup.disk ?? realDisk).read(file));
  if (target === undefined) {
    throw new LongshoreError(
      'failed-to-start',
      `${file} is a batch file, which only a shell could start. Name the program that it starts instead.`,
      { data: { file } },
    );
  }
  if (target.by === 'itself') return { file: target.file, args: [] };
  const beside = await firstProgram([win32.dirname(file)], 'node', lookup);
  const node = beside === undefined ? await lookUpCommand({ ...lookup, command: 'node' }) : { file: beside };
  return { ...node, args: [target.file] };
}

/** A program found elsewhere than on the server's own PATH brings its folder along, first, and the rest behind. */
function withNeighbours(
  found: FoundCommand,
  file: string,
  own: readonly string[],
  onPath: ReadonlySet<string>,
  path: typeof posix,
): FoundCommand {
  const folder = path.dirname(file);
  if (own.includes(folder)) return found;
  return { ...found, path: [...new Set([folder, ...own, ...onPath])].join(path.delimiter) };
}

/** The machine's own. */
export const realDisk: Disk = {
  async isProgram(file) {
    try {
      await access(file, constants.X_OK);
      return (await stat(file)).isFile();
    } catch {
      return false;
    }
  },
  read: file => readFile(file, 'utf8'),
};

/** Programs that are no launchers; theirs are in `launchers`. */
const fixes: Readonly<Record<string, string>> = {
  node: 'Install Node.js (https://nodejs.org)',
  python: 'Install Python (https://www.python.org), or try the command python3',
  python3: 'Install Python (https://www.python.org)',
  docker: 'Install Docker (https://docs.docker.com/get-docker/)',
};

const shownFolders = 10;

function notFound(command: string, searched: readonly string[]): LongshoreError {
  const more = searched.length - shownFolders;
  const folders = searched.slice(0, shownFolders).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const fix = (Object.hasOwn(fixes, command) ? fixes[command] : installHint(command)) ?? spelling(command);
  const message = `The command ${command} was not found in ${folders || 'any folder: PATH is empty'}.`;
  return new LongshoreError('command-not-found', `${message} ${fix}, or give its full path.`, {
    data: { command, searched },
  });
}

/** A whole command line in the place of the program is the most common mistake. */
function spelling(command: string): string {
  const [program, ...rest] = command.trim().split(/\s+/);
  if (rest.length === 0) return 'Check its spelling';
  return `Only the program belongs into command, the rest into args: command ${JSON.stringify(program)}, args ${JSON.stringify(rest)}. Write it like that, check its spelling`;
}

function notAProgram(file: string): LongshoreError {
  return new LongshoreError(
    'command-not-found',
    `There is no program that can be run at ${file}. Check the path, and that the file is executable.`,
    { data: { command: file, searched: [file] } },
  );
}
