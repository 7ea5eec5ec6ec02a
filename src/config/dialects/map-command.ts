import type { JsonObject } from '../../core/json.ts';
import { splitWords } from '../shell-words.ts';
import { baseName } from './docker-warnings.ts';
import { Rejected, type Warn } from './types.ts';

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly isForWindows?: true;
}

/** The program of an entry and its arguments; undefined where it names none. Throws `Rejected`. */
export function commandOf(entry: JsonObject, warn: Warn): Start | undefined {
  const said = entry['command'] ?? entry['cmd'] ?? undefined;
  if (said === undefined || said === '') return undefined;
  const args = argumentsOf(entry['args'], warn);
  if (Array.isArray(said)) {
    const [command, ...words] = said.map(word => wordOf(word, 'command', 'bad-command', warn));
    if (command === undefined) return undefined;
    return unwrapped({ command, args: [...words, ...args] }, warn);
  }
  if (typeof said !== 'string') throw new Rejected('bad-command');
  const command = said.trim();
  if (command === '') return undefined;
  const space = command.search(/\s/);
  if (space === -1 || args.length > 0 || /[/\\"']/.test(command.slice(0, space)))
    return unwrapped({ command, args }, warn);
  const [program = command, ...words] = splitWords(command);
  warn('command-split', 'command');
  return unwrapped({ command: program, args: words }, warn);
}

function argumentsOf(said: unknown, warn: Warn): readonly string[] {
  if (said === undefined || said === null) return [];
  if (typeof said === 'string') {
    if (said.trim() !== '') warn('args-split', 'args');
    return splitWords(said);
  }
  if (!Array.isArray(said)) throw new Rejected('bad-args');
  return said.map((word, index) => wordOf(word, `args[${index}]`, 'bad-args', warn));
}

function wordOf(word: unknown, place: string, why: string, warn: Warn): string {
  if (typeof word === 'string') return word;
  if (typeof word !== 'number' && typeof word !== 'boolean') throw new Rejected(why);
  warn('value-coerced', place);
  return String(word);
}

/** A command behind Windows' own shell, which stands there only for Windows; other shells are kept and told. */
function unwrapped(start: Start, warn: Warn): Start {
  const program = baseName(start.command);
  const [flag = '', command, ...args] = start.args;
  if (program === 'cmd' && /^\/c$/i.test(flag) && command !== undefined) {
    warn('cmd-unwrapped', 'command');
    const words = args.length === 0 && /\s/.test(command) ? splitWords(command) : [command, ...args];
    return { command: words[0] ?? command, args: words.slice(1), isForWindows: true };
  }
  const isShell =
    (/^(?:ba|z|da|k)?sh$/.test(program) && start.args.some(word => /^-\w*c$/.test(word))) ||
    program === 'wsl' ||
    (/^(?:pwsh|powershell)$/.test(program) && start.args.some(word => /^-c(?:ommand)?$/i.test(word)));
  if (isShell) warn('shell-command');
  if (/^(?:npx|bunx|pnpx|pnpm|yarn)$/.test(program) && start.args.some(word => /^mcp-remote(?:@|$)/.test(word))) {
    warn('mcp-remote-wrapper');
  }
  return start;
}
