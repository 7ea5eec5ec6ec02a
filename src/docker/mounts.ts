import { LongshoreError } from '../core/errors.ts';
import type { RunFlag } from './parse-run.ts';

/** A folder or file of this machine that a flag lets into the container. */
export interface HostPath {
  /** As the user wrote it; relative to the command's working folder. */
  readonly source: string;
  readonly flag: RunFlag;
}

/** Every path of this machine that the flags mount or read: `-v`, `--mount`, and the files whose content is passed in. */
export function hostPaths(flags: readonly RunFlag[]): readonly HostPath[] {
  return flags.flatMap(flag => pathsOf(flag).map(source => ({ source, flag })));
}

function pathsOf({ name, value = '' }: RunFlag): readonly string[] {
  if (name === '--volume') {
    const { source } = splitVolume(value);
    return source !== undefined && isPath(source) ? [source] : [];
  }
  if (name === '--mount') return mountPaths(value);
  return name === '--env-file' || name === '--label-file' ? [value] : [];
}

/** A bind's source, and the device behind a volume of the local driver: `volume-opt=device=/etc` is a bind as well. */
function mountPaths(value: string): readonly string[] {
  const fields = csvFields(value).map(field => {
    const [key = '', ...rest] = field.split('=');
    return [key.trim().toLowerCase(), rest.join('=')] as const;
  });
  const type = fields.find(([key]) => key === 'type')?.[1].toLowerCase() ?? 'volume';
  return fields.flatMap(([key, text]) => {
    if (type !== 'volume' && (key === 'source' || key === 'src')) return [text];
    if (key === 'volume-opt') return /^device=(.*)$/s.exec(text)?.slice(1) ?? [];
    return [];
  });
}

/** One record of comma-separated values, quoted as in RFC 4180: what `--mount` takes. */
export function csvFields(value: string): readonly string[] {
  const fields: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const letter = value.charAt(at);
    if (letter === '"' && quoted && value.charAt(at + 1) === '"') {
      field += '"';
      at += 1;
    } else if (letter === '"') quoted = !quoted;
    else if (letter === ',' && !quoted) {
      fields.push(field);
      field = '';
    } else field += letter;
  }
  return [...fields, field];
}

/** `-v` taken apart: a Windows drive's colon is part of its path. */
export interface Volume {
  readonly source?: string;
  readonly target: string;
  readonly mode?: string;
}

/** Reads the value of `-v`: `[source:]target[:mode]`. */
export function splitVolume(value: string): Volume {
  const drive = /^([A-Za-z]:[\\/][^:]*):(\/[^:]*)(?::([^:]*))?$/.exec(value);
  const parts = drive ? drive.slice(1).filter(part => part !== undefined) : value.split(':');
  const [source, target, mode] = parts;
  if (target === undefined) return { target: value };
  return mode === undefined
    ? { source: source ?? '', target }
    : { source: source ?? '', target, mode: parts.slice(2).join(':') };
}

/** False for the name of a volume. */
function isPath(source: string): boolean {
  return /^([./\\~]|[A-Za-z]:[\\/])/.test(source);
}

/**
 * A `-v` with a Windows path as a `--mount`, whose fields have no colons to be confused by; the drive root keeps its
 * slash. Anything else stays as it is. Throws `bad-config` for a network path, which the engine cannot mount.
 */
export function portableVolume(flag: RunFlag): RunFlag {
  const value = flag.value ?? '';
  if (flag.name !== '--volume') return flag;
  if (/^(\\\\|\/\/)/.test(value)) {
    throw new LongshoreError(
      'bad-config',
      `${flag.spelled} ${value}: a network path cannot be mounted. Copy it to a local folder, or mount that drive by its letter.`,
    );
  }
  const { source = '', target, mode } = splitVolume(value);
  if (!/^[A-Za-z]:[\\/]/.test(source)) return flag;
  const options = (mode ?? '').split(',').filter(option => option !== '' && option !== 'rw');
  const foreign = options.filter(option => option !== 'ro');
  if (foreign.length > 0) {
    throw new LongshoreError(
      'bad-config',
      `${flag.spelled} ${value}: ${foreign.join(', ')} has no meaning for a Windows path.`,
    );
  }
  return { name: '--mount', spelled: '--mount', value: bindMount(source, target, options.includes('ro')) };
}

/** The value of a `--mount` that lets one path of this machine in. */
export function bindMount(source: string, target: string, readOnly: boolean): string {
  return ['type=bind', quoted(`source=${source}`), quoted(`target=${target}`), ...(readOnly ? ['readonly'] : [])].join(
    ',',
  );
}

function quoted(field: string): string {
  return /[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
