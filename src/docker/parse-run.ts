import { LongshoreError } from '../core/errors.ts';
import { type FlagTable, globalFlagTable, runFlagTable } from './run-flags.ts';

/** One flag as the user wrote it, with its full name. */
export interface RunFlag {
  /** Full name, `--env` also where `-e` was written; a flag we do not know keeps the name it has. */
  readonly name: string;
  /** As it was written: `-e`, `--env`, `--net`. */
  readonly spelled: string;
  /** Absent for a switch that stands alone. */
  readonly value?: string;
}

/** A `docker run` command taken apart (R12). */
export interface RunCommand {
  /** As it was written, often just `docker`; also an absolute path. */
  readonly program: string;
  readonly engine: 'docker' | 'podman';
  /** Flags before the command: which engine. */
  readonly globals: readonly RunFlag[];
  /** `run`, or `container run`. */
  readonly verb: readonly string[];
  readonly flags: readonly RunFlag[];
  readonly image: string;
  /** What is run in the image instead of its own command. */
  readonly command: readonly string[];
}

/**
 * Takes a command apart if it is a `docker run` (or `podman run`), by whatever path and with whatever global flags;
 * anything else is `undefined` and runs as it is. Throws `bad-config` for a run that the CLI itself would refuse, or
 * whose end of flags cannot be told because a flag is unknown to us.
 */
export function parseRun(program: string, args: readonly string[]): RunCommand | undefined {
  const engine = engineOf(program);
  if (engine === undefined) return undefined;
  const before = takeFlags(args, globalFlagTable(engine), engine);
  const verb = before.rest[0] === 'container' ? before.rest.slice(0, 2) : before.rest.slice(0, 1);
  if (verb.at(-1) !== 'run') return undefined;
  const { flags, rest } = takeFlags(before.rest.slice(verb.length), runFlagTable(engine), `${engine} run`);
  const [image, ...command] = rest;
  if (image === undefined || image.trim() === '') {
    throw new LongshoreError('bad-config', `This ${engine} run command names no image. Put one after the flags.`);
  }
  return { program, engine, globals: before.flags, verb, flags, image, command };
}

/** The arguments again, after the program; `parseRun` of them gives an equal command. */
export function printRun(run: Omit<RunCommand, 'program'>): readonly string[] {
  return [
    ...printGlobals(run),
    ...run.verb,
    ...run.flags.flatMap(flag => printFlag(flag, runFlagTable(run.engine))),
    run.image,
    ...run.command,
  ];
}

/** The flags before the command, as arguments. */
export function printGlobals({ engine, globals }: Pick<RunCommand, 'engine' | 'globals'>): readonly string[] {
  return globals.flatMap(flag => printFlag(flag, globalFlagTable(engine)));
}

/** What Go's strconv.ParseBool makes of a switch; without a value it is on. Throws `bad-config` for anything else. */
export function isOn(flag: RunFlag): boolean {
  if (flag.value === undefined || /^(1|t|T|TRUE|true|True)$/.test(flag.value)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(flag.value)) return false;
  throw new LongshoreError('bad-config', `${flag.spelled}=${flag.value} is neither true nor false.`);
}

function engineOf(program: string): RunCommand['engine'] | undefined {
  const name = program
    .split(/[/\\]/)
    .at(-1)
    ?.toLowerCase()
    .replace(/\.exe$/, '');
  return name === 'docker' || name === 'podman' ? name : undefined;
}

/** Reads flags as the docker CLI does: up to the first word that is none, or up to `--`. */
function takeFlags(
  args: readonly string[],
  table: FlagTable,
  command: string,
): { flags: readonly RunFlag[]; rest: readonly string[] } {
  const flags: RunFlag[] = [];
  const words = [...args];
  const nextValue = (spelled: string) => {
    const value = words.shift();
    if (value === undefined) throw new LongshoreError('bad-config', `${command}: ${spelled} needs a value after it.`);
    return value;
  };
  while (words.length > 0) {
    const word = words[0] ?? '';
    if (word === '--') return { flags, rest: words.slice(1) };
    if (!word.startsWith('-') || word === '-') return { flags, rest: words };
    words.shift();
    if (word.startsWith('--')) flags.push(longFlag(word, table, command, nextValue));
    else flags.push(...shortFlags(word, table, command, nextValue));
  }
  return { flags, rest: [] };
}

function longFlag(word: string, table: FlagTable, command: string, nextValue: (spelled: string) => string): RunFlag {
  const equals = word.indexOf('=');
  const spelled = equals === -1 ? word : word.slice(0, equals);
  const name = table.aliases.get(spelled) ?? spelled;
  if (equals !== -1) return { name, spelled, value: word.slice(equals + 1) };
  const shape = table.shapes.get(name);
  if (shape === undefined) throw unknownFlag(spelled, command);
  return shape === 'switch' ? { name, spelled } : { name, spelled, value: nextValue(spelled) };
}

/** `-it`, `-p80:80`, `-e=A=b`, `-ite A=b`: letters until one takes a value. */
function shortFlags(
  word: string,
  table: FlagTable,
  command: string,
  nextValue: (spelled: string) => string,
): readonly RunFlag[] {
  const flags: RunFlag[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const spelled = `-${word.charAt(at)}`;
    const name = table.aliases.get(spelled);
    const shape = name === undefined ? undefined : table.shapes.get(name);
    if (name === undefined || shape === undefined) throw unknownFlag(spelled, command);
    const rest = word.slice(at + 1);
    if (rest.startsWith('=') && rest.length > 1) return [...flags, { name, spelled, value: rest.slice(1) }];
    if (shape === 'switch') flags.push({ name, spelled });
    else return [...flags, { name, spelled, value: rest === '' ? nextValue(spelled) : rest }];
  }
  return flags;
}

function unknownFlag(spelled: string, command: string): LongshoreError {
  return new LongshoreError(
    'bad-config',
    spelled.startsWith('--')
      ? `Longshore does not know the flag ${spelled} of ${command}, so it cannot tell where the image begins. Write it as ${spelled}=VALUE.`
      : `Longshore does not know the flag ${spelled} of ${command}.`,
  );
}

function printFlag(flag: RunFlag, table: FlagTable): readonly string[] {
  if (flag.value === undefined) return [flag.spelled];
  return table.shapes.get(flag.name) === 'value' ? [flag.spelled, flag.value] : [`${flag.spelled}=${flag.value}`];
}
