import { Command, type Option } from '@commander-js/extra-typings';
import type { Client } from '../../client/client.ts';
import { commandEntry, commandTable } from '../command-table.ts';
import type { CommandContext } from '../program.ts';
import { argumentCandidates, type Candidate, candidate, namedTool, toolCandidates } from './candidates.ts';
import { completionShells } from './completion-script.ts';
import { filesCandidate } from './protocol.ts';

/** Asks the running service for what it knows; rejects where none runs or it takes too long. */
export type Live = () => Promise<Pick<Client, 'ask'>>;

/** What is typed: the words before, without options, of the innermost command; and the word itself. */
interface Typing {
  readonly before: readonly string[];
  readonly typed: string;
}

/** Where the arguments of a command come from; commands below commands are named by both words. */
const sources: Readonly<Record<string, (typing: Typing, live: Live) => Promise<readonly Candidate[]>>> = {
  remove: servers,
  enable: servers,
  disable: servers,
  load: servers,
  reload: servers,
  unload: servers,
  restart: servers,
  logs: servers,
  explain: servers,
  tools: servers,
  call: toolsAndArguments,
  why: toolsAndArguments,
  approve: approvals,
  reject: approvals,
  'rules rm': async ({ before }, live) => {
    if (before.length > 0) return [];
    const rules = await (await live()).ask('GET /api/rules');
    return rules.map(({ id, level, pattern }) => candidate(id, `${level} ${pattern}`));
  },
  'token revoke': async ({ before }, live) => {
    if (before.length > 0) return [];
    const tokens = await (await live()).ask('GET /api/tokens');
    return tokens.filter(({ revokedAt }) => revokedAt === null).map(({ name }) => ({ value: name }));
  },
  'secret set': secrets,
  'secret rm': secrets,
  import: () => Promise.resolve([{ value: filesCandidate }]),
  completion: () => Promise.resolve(completionShells.map(value => ({ value }))),
};

/**
 * What may stand for the last of the words that follow `longshore`: commands, options and their choices from here, names
 * from the running service. Without an answer of the service in time, only the former.
 */
export async function complete(
  words: readonly string[],
  live: Live,
  context: CommandContext,
): Promise<readonly Candidate[]> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  // Behind `--` stands another program's command line.
  if (before.includes('--')) return [{ value: filesCandidate }];
  const entry = commandEntry(before[0]);
  if (entry === undefined) {
    if (before.length > 0) return [];
    return commandTable.filter(({ hidden }) => !hidden).map(({ name, summary }) => candidate(name, summary));
  }
  const command = new Command(entry.name);
  (await entry.load())(command, context);
  const { path, innermost, rest } = descend(command, before.slice(1));
  const options = innermost.options.filter(option => !option.hidden);
  const asked = options.find(option => option.required && isNamed(option, before.at(-1)));
  if (asked !== undefined) return optionValues(asked.long ?? '', asked.argChoices);
  if (typed.startsWith('-')) {
    return [...options, { long: '--help', description: 'print help' }].flatMap(({ long, description }) =>
      long ? [candidate(long, description)] : [],
    );
  }
  const below = rest.length === 0 ? innermost.commands.map(one => candidate(one.name(), one.description())) : [];
  const source = sources[path];
  if (source === undefined) return below;
  const known = await source({ before: withoutOptions(rest, innermost), typed }, live).catch(() => []);
  return [...below, ...known];
}

/** Follows the words to the innermost command; `path` names it as `sources` does. */
function descend(command: Command, words: readonly string[]) {
  const [first, ...rest] = words;
  const below = command.commands.find(one => [one.name(), ...one.aliases()].includes(first ?? '')) as
    | Command
    | undefined;
  if (below === undefined) return { path: command.name(), innermost: command, rest: words };
  return { path: `${command.name()} ${below.name()}`, innermost: below, rest };
}

function withoutOptions(words: readonly string[], command: Command): readonly string[] {
  return words.filter((word, index) => {
    const before = words[index - 1];
    const isValue = command.options.some(option => option.required && isNamed(option, before));
    return !word.startsWith('-') && !isValue;
  });
}

function isNamed({ short, long }: Pick<Option, 'short' | 'long'>, word: string | undefined): boolean {
  return word !== undefined && (short === word || long === word);
}

function optionValues(long: string, choices: readonly string[] | undefined): readonly Candidate[] {
  if (choices) return choices.map(value => ({ value }));
  return /^--(tls-cert|tls-key|operator-token|cwd)$/.test(long) ? [{ value: filesCandidate }] : [];
}

async function servers({ before }: Typing, live: Live): Promise<readonly Candidate[]> {
  if (before.length > 0) return [];
  const answer = await (await live()).ask('GET /api/mcp/status');
  return answer.servers.map(({ server, state }) => candidate(server, state));
}

async function toolsAndArguments({ before, typed }: Typing, live: Live): Promise<readonly Candidate[]> {
  const tools = await (await live()).ask('GET /api/tools');
  const [name, ...given] = before;
  if (name === undefined) return toolCandidates(typed, tools);
  const tool = namedTool(name, tools);
  return tool ? argumentCandidates(typed, given, tool) : [];
}

async function approvals({ before }: Typing, live: Live): Promise<readonly Candidate[]> {
  if (before.length > 0) return [];
  const open = await (await live()).ask('GET /api/approvals');
  return open.map(({ id, handleName, caller }) => candidate(id, `${handleName}, asked by ${caller}`));
}

async function secrets({ before }: Typing, live: Live): Promise<readonly Candidate[]> {
  if (before.length > 0) return [];
  const answer = await (await live()).ask('GET /api/secrets');
  return answer.secrets.map(({ name }) => ({ value: name }));
}
