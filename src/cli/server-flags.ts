import type { Command, OptionValues } from '@commander-js/extra-typings';
import { Option } from '@commander-js/extra-typings';
import type { LoadRequest, ServerSettings } from '../client/api-types.ts';
import { type Deadlines, defaultDeadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import { legacyVersions, modernVersions } from '../core/protocol-versions.ts';
import { collect } from './collect.ts';
import { duration } from './duration.ts';
import { pairs } from './pairs.ts';

/** How a server is run: the flags that `add`, `load` and `explain` share; a type, so that it fits commander's own. */
export type ServerFlags = {
  readonly env: readonly string[];
  readonly mount: readonly string[];
  readonly network?: 'bridge' | 'none' | undefined;
  readonly memory?: string | undefined;
  readonly cpus?: string | undefined;
  readonly pids?: string | undefined;
  readonly deadline: readonly string[];
  readonly protocol?: string | undefined;
  readonly allowUnsafe?: true | undefined;
  readonly allowSecretArguments?: true | undefined;
};

/** Adds them to a command. */
export function withServerFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): Command<Args, Options & ServerFlags> {
  command
    .option('--env <name=value>', "set this variable in the server's environment (may be repeated)", collect, [])
    .option('--mount <source:target[:ro]>', 'of an image: a folder that it may see (may be repeated)', collect, [])
    .addOption(new Option('--network <network>', 'of an image').choices(['bridge', 'none'] as const))
    .option('--memory <limit>', 'of an image, such as 512m')
    .option('--cpus <number>', 'of an image')
    .option('--pids <number>', 'of an image: most processes')
    .option(
      '--deadline <name=duration>',
      `one of ${Object.keys(defaultDeadlines).join(', ')} (may be repeated)`,
      collect,
      [],
    )
    .addOption(
      new Option(
        '--protocol <revision>',
        'speak this revision of MCP with it, instead of the one that serves best',
      ).choices(['auto', ...modernVersions, ...legacyVersions]),
    )
    .option('--allow-unsafe', 'let docker flags pass that weaken isolation')
    .option('--allow-secret-arguments', 'let secrets stand in the command line, where every program can read them');
  // Commander's own type of this chain is too long to be written into a declaration file.
  return command as unknown as Command<Args, Options & ServerFlags>;
}

/** What the flags say, in the API's words. Throws `usage`. */
export function readServerFlags(flags: ServerFlags): {
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: ServerSettings;
  readonly deadlines?: Readonly<Partial<Deadlines>>;
  readonly protocol?: NonNullable<LoadRequest['protocol']>;
} {
  const container = {
    ...(flags.network !== undefined && { network: flags.network }),
    ...(flags.mount.length > 0 && { mounts: flags.mount }),
    ...(flags.memory !== undefined && { memory: flags.memory }),
    ...(flags.cpus !== undefined && { cpus: positive('--cpus', flags.cpus) }),
    ...(flags.pids !== undefined && { pids: positive('--pids', flags.pids) }),
  };
  const settings = {
    ...(flags.allowUnsafe && { allowUnsafe: true }),
    ...(flags.allowSecretArguments && { allowSecretArguments: true }),
    ...(Object.keys(container).length > 0 && { container }),
  };
  return {
    ...(flags.env.length > 0 && { env: pairs('--env', flags.env) }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(flags.protocol !== undefined && { protocol: flags.protocol as NonNullable<LoadRequest['protocol']> }),
    ...(flags.deadline.length > 0 && { deadlines: readDeadlines(flags.deadline) }),
  };
}

function readDeadlines(words: readonly string[]): Partial<Deadlines> {
  const entries = Object.entries(pairs('--deadline', words)).map(([name, text]) => {
    if (Object.hasOwn(defaultDeadlines, name)) return [name, duration(text)] as const;
    throw new LongshoreError(
      'usage',
      `There is no deadline ${JSON.stringify(name)}; there is ${Object.keys(defaultDeadlines).join(', ')}.`,
    );
  });
  return Object.fromEntries(entries);
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new LongshoreError('usage', `${flag} takes a number above 0, not ${JSON.stringify(text)}.`);
}
