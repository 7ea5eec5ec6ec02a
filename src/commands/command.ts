import { LongshoreError } from '../core/errors.ts';
import { nearestName } from '../lib/nearest-name.ts';
import type { Envelope } from './envelope.ts';
import type { CommandLine } from './grammar.ts';

/** What a command was given, checked against what it takes. */
export interface Given<Parameter extends string = string, Flag extends string = string> {
  readonly arguments: Readonly<Record<Parameter, string>>;
  readonly flags: ReadonlySet<Flag>;
}

/** One of the operator's verbs; a file of its own each, and a line in the table. */
export interface Command<Context, Parameter extends string = string, Flag extends string = string> {
  /** As it is typed, e.g. `!mcp-load`. */
  readonly name: `!${string}`;
  /** What it is called where commands are tools of an agent host, e.g. `mcp_load` (R28 to R35). */
  readonly tool: string;
  /** One sentence. */
  readonly summary: string;
  /** All are required, in this order. */
  readonly parameters: readonly Parameter[];
  /** Without their dashes; none takes a value. */
  readonly flags: readonly Flag[];
  run(context: Context, given: Given<Parameter, Flag>, signal: AbortSignal): Promise<Envelope>;
}

/** Gives a command its type from its own parameters and flags. */
export function command<Context, const Parameter extends string, const Flag extends string>(
  definition: Command<Context, Parameter, Flag>,
): Command<Context> {
  return definition;
}

/** How a command is typed, e.g. `!mcp-load <image>`. */
export function usage(one: Command<never>): string {
  return [one.name, ...one.parameters.map(name => `<${name}>`), ...one.flags.map(name => `[--${name}]`)].join(' ');
}

/** The command of a line. Throws `usage` with the nearest name for one that does not exist: none is run by guess (R28). */
export function findCommand<Context>(table: readonly Command<Context>[], line: CommandLine): Command<Context> {
  const found = table.find(one => one.name === line.name);
  if (found) return found;
  const names = table.map(one => one.name);
  const near = nearestName(line.name, names);
  const meant = near === undefined ? `The commands are ${names.join(', ')}.` : `Did you mean ${near}?`;
  const what = line.name === '' ? 'There is no command in this line.' : `There is no command ${line.name}.`;
  throw new LongshoreError('usage', `${what} ${meant}`);
}

/** Checks a line against what its command takes. Throws `usage` with the command's usage before anything is done (R28). */
export function bind<Context>(one: Command<Context>, line: CommandLine): Given {
  const surplus = line.positional[one.parameters.length];
  const missing = one.parameters[line.positional.length];
  const unknown = line.flags.find(flag => !one.flags.includes(flag));
  const fault =
    unknown !== undefined
      ? `It has no flag --${unknown}.`
      : missing !== undefined
        ? `<${missing}> is missing.`
        : surplus !== undefined
          ? `${JSON.stringify(surplus)} is too much; text with spaces goes in quotes.`
          : undefined;
  if (fault !== undefined) throw new LongshoreError('usage', `Usage: ${usage(one)}. ${fault}`);
  const pairs = one.parameters.map((name, index) => [name, line.positional[index] ?? ''] as const);
  return { arguments: Object.fromEntries(pairs), flags: new Set(line.flags) };
}
