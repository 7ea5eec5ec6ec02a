import { LongshoreError } from '../core/errors.ts';

/**
 * What the CLI, its helpers, the loader or Go's runtime read from the environment: which engine is spoken to, by whom and
 * through what. In any case, since Windows knows none.
 */
const steering = new RegExp(
  `^(${[
    '(DOCKER|CONTAINER|CONTAINERS|PODMAN|BUILDKIT|BUILDX|COMPOSE|REGISTRY|SSH|SSL|OTEL|XDG|LD|DYLD|LC|MOBY|DBUS|GIT)_.*',
    '(HTTP|HTTPS|ALL|NO|FTP)_PROXY',
    'GO[A-Z0-9]*|LANG|LANGUAGE|PATH|PATHEXT|HOME|HOMEDRIVE|HOMEPATH|USER|USERNAME|USERPROFILE|LOGNAME|SHELL|TERM|NO_COLOR',
    'TMPDIR|TMP|TEMP|TZ|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|SYSTEMROOT|WINDIR|COMSPEC',
  ].join('|')})$`,
  'i',
);

/**
 * True for the name of a variable that our own docker command would follow if it were in its environment. Such a one is
 * meant for the container, and goes there by a file.
 */
export function steersCli(name: string): boolean {
  return steering.test(name);
}

/**
 * The variables of a container in two parts: the content of an `--env-file` ('' for none), and what may be in the CLI's own
 * environment. Throws `bad-config` for a value that such a file cannot hold.
 */
export function parted(env: Readonly<Record<string, string>>): {
  readonly forFile: string;
  readonly forCli: Readonly<Record<string, string>>;
} {
  const entries = Object.entries(env);
  return {
    forFile: printed(entries.filter(([name]) => steersCli(name))),
    forCli: Object.fromEntries(entries.filter(([name]) => !steersCli(name))),
  };
}

function printed(entries: readonly (readonly [name: string, value: string])[]): string {
  return entries
    .map(([name, value]) => {
      if (!/[\r\n\0]/.test(value)) return `${name}=${value}\n`;
      throw new LongshoreError(
        'bad-config',
        `${name} has several lines, which docker cannot pass on for a name that it reads itself. Give the variable another name.`,
      );
    })
    .join('');
}
