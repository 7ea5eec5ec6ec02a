import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { CallerScope } from '../core/caller-scope.ts';
import { LongshoreError } from '../core/errors.ts';
import { collect } from './collect.ts';

/** What the command line says about what a token reaches. */
export type ScopeFlags = {
  readonly server: readonly string[];
  readonly tools: readonly string[];
  readonly pin: readonly string[];
  readonly readOnly?: boolean | undefined;
  readonly find?: boolean | undefined;
  readonly manage?: boolean | undefined;
};

/** Adds the flags that limit a token. */
export function withScopeFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): Command<Args, Options & ScopeFlags> {
  const groups = "only tools, resources and prompts that fit, e.g. 'github.*', '*.read_*' (may be repeated)";
  command
    .option('--server <key>', 'only this server (may be repeated)', collect, [])
    .option('--tools <pattern>', groups, collect, [])
    .option('--read-only', 'of tools only those that say that they only read')
    .option('--pin <pattern>', 'list only tools that fit, and find_tools for the rest (may be repeated)', collect, [])
    .option('--find', 'list find_tools only, with which the client finds the rest')
    .option('--manage', 'let it ask to search, load and unload servers');
  // Commander's own type of this chain is too long to be written into a declaration file.
  return command as unknown as Command<Args, Options & ScopeFlags>;
}

/** Adds the flags that take limits away again. */
export function withWideningFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): Command<Args, Options> {
  command
    .option('--no-read-only', 'all tools, whatever they do')
    .option('--no-find', 'list all tools')
    .option('--no-manage', 'do not let it ask for servers');
  return command;
}

/** What of a scope the flags speak about; `*` for a server or for tools means all. Throws `usage`. */
export function readScopeFlags(flags: ScopeFlags): Partial<CallerScope> {
  const { server, tools, pin, readOnly, find, manage } = flags;
  if (pin.length > 0 && find === false) {
    throw new LongshoreError(
      'usage',
      '--pin and --no-find exclude each other: the one shortens lists, the other does not.',
    );
  }
  return {
    ...(server.length > 0 && { servers: server.includes('*') ? null : server }),
    ...(tools.length > 0 && { tools: tools.includes('*') ? null : tools }),
    ...(readOnly !== undefined && { risk: readOnly ? 'read-only' : 'all' }),
    ...((pin.length > 0 || find === true) && { list: { pins: pin } }),
    ...(find === false && { list: 'all' }),
    ...(manage !== undefined && { manages: manage }),
  };
}

/** A scope in a few words. */
export function scopeText({ servers, tools, risk, list, manages }: CallerScope): string {
  const words = [
    servers === null ? '' : `servers ${servers.join(' ') || 'none'}`,
    tools === null ? '' : `tools ${tools.join(' ') || 'none'}`,
    risk === 'all' ? '' : 'read-only',
    list === 'all' ? '' : `lists ${[...list.pins, 'find_tools'].join(' ')}`,
    manages ? 'manages servers' : '',
  ].filter(word => word !== '');
  return words.length === 0 ? 'everything' : words.join(', ');
}
