import type { RunCommand } from './parse-run.ts';

/** What the driver for files of JSON lines understands: options beyond these belong to another driver of the engine's choice. */
const fileOptions = new Set(
  'max-size max-file compress labels labels-regex env env-regex tag mode max-buffer-size path'.split(' '),
);
/** The drivers that keep a file for each container, which grows without a bound unless told. */
const fileDrivers = new Set(['json-file', 'local', 'k8s-file']);

/**
 * The flags that bound a container's log, as far as the user's own do not: the engine keeps every line of stdout, tool
 * results too, on disk and without a limit (row 37). A driver that keeps no file of its own is left alone.
 */
export function boundedLog({
  engine,
  flags,
}: Pick<RunCommand, 'engine' | 'flags'>): readonly (readonly [string, string])[] {
  const driver = flags.findLast(({ name }) => name === '--log-driver')?.value;
  if (driver !== undefined && !fileDrivers.has(driver)) return [];
  const options = new Map(
    flags.flatMap(({ name, value = '' }): readonly (readonly [string, string])[] => {
      if (name !== '--log-opt') return [];
      const [key = '', ...rest] = value.split('=');
      return [[key, rest.join('=')]];
    }),
  );
  if (driver === undefined && [...options.keys()].some(key => !fileOptions.has(key))) return [];
  const added: (readonly [string, string])[] = [];
  if (driver === undefined && engine === 'docker') added.push(['--log-driver', 'json-file']);
  // None and negative sizes are no bound; the later of two options holds.
  if (!/^[\d.]*[1-9]/.test(options.get('max-size') ?? '')) added.push(['--log-opt', 'max-size=1m']);
  if (driver === undefined && engine === 'docker' && !options.has('max-file')) {
    // Only files that are no longer written are compressed.
    added.push(['--log-opt', options.get('compress') === 'true' ? 'max-file=2' : 'max-file=1']);
  }
  return added;
}
