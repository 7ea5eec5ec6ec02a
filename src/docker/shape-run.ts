import { LongshoreError } from '../core/errors.ts';
import type { Diagnostic } from '../core/words.ts';
import { boundedLog } from './bounded-log.ts';
import { hostPaths, portableVolume } from './mounts.ts';
import { isOn, printRun, type RunCommand, type RunFlag } from './parse-run.ts';
import { covers, onLoopback, parsePublish, printPublish } from './publish.ts';

/** When the image is fetched: as `--pull` of docker. */
export type PullPolicy = 'always' | 'missing' | 'never';

/** A user's run with what we must own taken over (R12); both of its containers are shaped from it. */
export interface ReviewedRun {
  /** Only the flags that stay the user's, in the user's order, ports on loopback. */
  readonly run: RunCommand;
  /** What was taken over or will surprise, for the person who wrote the command. */
  readonly notes: readonly Diagnostic[];
  readonly pull: PullPolicy;
  readonly platform: string | undefined;
  /** Folders of this machine that are mounted, as written: the engine would create a missing one as root. */
  readonly mounted: readonly string[];
}

/** Flags that we set ourselves; the note says why the user's are gone, '' where ours means the same. */
const takenOver: Readonly<Record<string, string>> = {
  '--detach': 'it runs attached, since its input and output are the connection',
  '--tty': 'a terminal would garble the protocol',
  '--name': 'Longshore names its containers, so that two agents never clash',
  '--restart': 'Longshore restarts servers itself',
  '--rm': '',
  '--interactive': '',
  '--init': '',
  '--cidfile': 'Longshore keeps the container id itself',
  '--attach': 'input, output and log are always attached',
  '--pull': '',
};

/** Takes over the flags that we must own, moves ports to loopback, and notes what the user should know. */
export function reviewRun(run: RunCommand, env: Readonly<Record<string, string>>): ReviewedRun {
  const notes: Diagnostic[] = [];
  const flags: RunFlag[] = [];
  for (const flag of run.flags) {
    if (flag.name === '--help' || flag.name === '--rootfs') {
      throw new LongshoreError('bad-config', `${flag.spelled} does not run an image. Remove it from the command.`);
    }
    const reason = takenOver[flag.name];
    if (reason === undefined) flags.push(rewritten(flag, notes));
    else notes.push(...takeOverNote(flag, reason));
  }
  notes.push(...environmentNotes(run, env));
  return {
    run: { ...run, flags },
    notes,
    pull: pullPolicy(run.flags),
    platform: run.flags.findLast(flag => flag.name === '--platform')?.value,
    mounted: hostPaths(flags.filter(flag => flag.name === '--volume')).map(({ source }) => source),
  };
}

function takeOverNote(flag: RunFlag, reason: string): readonly Diagnostic[] {
  const isSwitch = ['--detach', '--tty', '--rm', '--interactive', '--init'].includes(flag.name);
  const surprising = isSwitch ? isOn(flag) === (reason !== '') : reason !== '';
  if (!surprising) return [];
  const why = reason === '' ? 'Longshore needs it to leave nothing behind' : reason;
  const what = reason === '' ? `${flag.spelled}=${flag.value} was not followed` : `${flag.spelled} was taken out`;
  return [{ code: 'flag-taken-over', message: `${what}: ${why}.`, data: { flag: flag.spelled } }];
}

function rewritten(flag: RunFlag, notes: Diagnostic[]): RunFlag {
  if (flag.name === '--volume') return portableVolume(flag);
  if (flag.name !== '--publish') return flag;
  const wanted = parsePublish(flag.value ?? '');
  const publish = onLoopback(wanted);
  if (publish !== wanted && wanted.hostAddress === '') {
    notes.push({
      code: 'port-on-loopback',
      message: `${flag.spelled} ${flag.value} was published on 127.0.0.1 only. Name an address to publish it elsewhere.`,
      data: { flag: flag.spelled },
    });
  }
  return publish === wanted ? flag : { ...flag, value: printPublish(publish) };
}

/** R17: values reach the container only through `-e NAME` (DOCKER_… is for the command itself); `localhost` inside is the container. */
function environmentNotes(run: RunCommand, env: Readonly<Record<string, string>>): readonly Diagnostic[] {
  const valuesOf = (name: string) => run.flags.filter(flag => flag.name === name).map(flag => flag.value ?? '');
  const named = new Set(valuesOf('--env').map(entry => entry.split('=', 1)[0]));
  const notes: Diagnostic[] = [];
  if (valuesOf('--env-file').length === 0) {
    for (const key of Object.keys(env).filter(name => !named.has(name) && !name.startsWith('DOCKER_'))) {
      notes.push({
        code: 'env-not-passed',
        message: `${key} is set for the docker command, not in the container. Add "-e ${key}" before the image to pass it on.`,
        data: { name: key },
      });
    }
  }
  const texts = [...valuesOf('--env'), ...run.command, ...Object.values(env)];
  return valuesOf('--network').includes('host') ? notes : [...notes, ...localhostNotes(texts)];
}

/** What to know where settings name this machine in the way that means the container inside of it. */
export function localhostNotes(settings: readonly string[]): readonly Diagnostic[] {
  if (!settings.some(text => /\b(localhost|127\.0\.0\.1)[:/]/.test(text))) return [];
  return [
    {
      code: 'localhost-in-container',
      message:
        'Its settings name localhost, which inside a container is the container itself. Use host.docker.internal instead; a docker run command of your own also needs "--add-host host.docker.internal:host-gateway".',
    },
  ];
}

function pullPolicy(flags: readonly RunFlag[]): PullPolicy {
  const wanted = flags.findLast(flag => flag.name === '--pull')?.value ?? 'missing';
  if (wanted === 'always' || wanted === 'never' || wanted === 'missing') return wanted;
  // podman's "newer"
  return 'always';
}

/** What one of the two containers of a run gets of ours. */
export interface OurFlags {
  readonly name: string;
  readonly cidfile: string;
  /** For the values that the CLI itself would follow: see `steersCli`. */
  readonly envFile: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The container's ports that must be reachable on this machine (R11). */
  readonly publish: readonly number[];
}

/** The arguments after the program: the user's flags in their order, ours after them, all before the image (R12). */
export function shapeRun({ run }: ReviewedRun, ours: OurFlags): readonly string[] {
  const flag = (name: string, value?: string): RunFlag =>
    value === undefined ? { name, spelled: name } : { name, spelled: name, value };
  const published = run.flags.flatMap(({ name, value }) => (name === '--publish' ? [parsePublish(value ?? '')] : []));
  return printRun({
    ...run,
    flags: [
      ...run.flags,
      flag('--rm'),
      { name: '--interactive', spelled: '-i' },
      flag('--init'),
      // Pulling was a phase of its own, with its own deadline (R49).
      flag('--pull', 'never'),
      flag('--name', ours.name),
      flag('--cidfile', ours.cidfile),
      ...Object.entries(ours.labels).map(([key, value]) => flag('--label', `${key}=${value}`)),
      ...boundedLog(run).map(([name, value]) => flag(name, value)),
      ...ours.publish
        .filter(port => !published.some(publish => covers(publish, port)))
        .map(port => ({ name: '--publish', spelled: '-p', value: `127.0.0.1::${port}` })),
    ],
  });
}
