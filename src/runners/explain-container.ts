import { hostPaths } from '../docker/mounts.ts';
import { isOn, parseRun, type RunFlag } from '../docker/parse-run.ts';
import { isLoopback, parsePublish } from '../docker/publish.ts';

/** Stands for what is only known when a container is made. */
export const placeholders = {
  cidfile: '<private file>',
  envFile: '<private file>',
  labels: { 'dev.longshore.…': '…' },
} as const;

/**
 * What keeps a container from the rest of the machine, one sentence each, read from the arguments that run it: a flag
 * that changes what runs changes what is told.
 */
export function containerIsolation(program: string, argv: readonly string[]): readonly string[] {
  const flags = parseRun(program, argv)?.flags ?? [];
  return [
    ...networkSentences(flags),
    ...portSentences(flags),
    ...hostPaths(flags)
      .filter(({ source }) => source !== placeholders.envFile)
      .map(({ source, flag }) =>
        flag.name === '--env-file' || flag.name === '--label-file'
          ? `What ${source} of this machine holds is passed in.`
          : `It sees ${source} of this machine.`,
      ),
  ];
}

function networkSentences(flags: readonly RunFlag[]): readonly string[] {
  const network = flags.findLast(({ name }) => name === '--network')?.value ?? 'bridge';
  if (network === 'none') return ['It has no network.'];
  if (network === 'host') return ['It uses the network of this machine, its loopback services included.'];
  const reach =
    'It can reach the internet, your local network, and what of this machine listens on more than loopback.';
  return network === 'bridge' || network === 'default' ? [reach] : [`Its network is ${network}.`, reach];
}

function portSentences(flags: readonly RunFlag[]): readonly string[] {
  if (flags.some(flag => flag.name === '--publish-all' && isOn(flag))) {
    return ['Every port that its image exposes is published on every address of this machine.'];
  }
  const elsewhere = flags.flatMap(({ name, value = '' }) =>
    name === '--publish' && !isLoopback(parsePublish(value)) ? [value] : [],
  );
  return elsewhere.length === 0
    ? ['Its ports are published on the loopback address of this machine only.']
    : [`Published beyond the loopback address of this machine: ${elsewhere.join(', ')}.`];
}
