/** A program that fetches another one, in part or whole, before it starts it. */
export interface Launcher {
  /** Its names, without folder and extension. */
  readonly programs: readonly string[];
  /** The words after which it fetches; `always` where its name says so. */
  readonly verbs: 'always' | readonly string[];
  /** What to install where it is missing. */
  readonly install: string;
  /** What its failures mean, in the order in which they are looked for in its stderr. */
  readonly failures: readonly (readonly [pattern: RegExp, meaning: string])[];
}

const noNetwork: readonly [RegExp, string] = [
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|dns error|Could not resolve host|no such host|Temporary failure in name resolution|error sending request|Connection refused/i,
  'The package index cannot be reached. Check the network, its proxy, and the index that is set for this launcher.',
];

const npm = {
  install: 'Install Node.js (https://nodejs.org)',
  failures: [
    [/\bE404\b|404 Not Found - GET/, 'There is no such package in the registry. Check its name.'],
    [/\bETARGET\b|No matching version/, 'The package has no such version.'],
    [/\bEBADENGINE\b/, 'The package needs another version of Node.js.'],
    [
      /could not determine executable/,
      'The package has no program to run. Check its name, or name the program with -p PACKAGE PROGRAM.',
    ],
    noNetwork,
  ],
} as const;

const uv = {
  install: 'Install uv (https://docs.astral.sh/uv/)',
  failures: [
    [/not found in the package registry|was not found/, 'There is no such package in the index. Check its name.'],
    [
      /No solution found/,
      'Its packages do not fit together, or it needs another Python: add --python VERSION to args.',
    ],
    [
      /executable named .* not provided|does not provide any executables/i,
      'The package has no program of that name: use --from PACKAGE PROGRAM.',
    ],
    [
      /No interpreter found|managed Python downloads are disabled|not allow.* download/i,
      'The Python that it needs is not installed, and uv may not fetch it.',
    ],
    noNetwork,
  ],
} as const;

const pip: Launcher['failures'] = [
  [/No matching distribution found/, 'There is no such package, or none for this Python.'],
  noNetwork,
];

/** Every launcher that is known; a new one is an entry here. `docker run` pulls in a phase of its own. */
export const launchers: readonly Launcher[] = [
  { programs: ['npx', 'pnpx'], verbs: 'always', ...npm },
  { programs: ['npm'], verbs: ['exec', 'x'], ...npm },
  {
    programs: ['pnpm'],
    verbs: ['dlx'],
    install: 'Install pnpm (https://pnpm.io/installation)',
    failures: npm.failures,
  },
  { programs: ['yarn'], verbs: ['dlx'], install: 'Install Yarn (https://yarnpkg.com)', failures: npm.failures },
  { programs: ['bunx'], verbs: 'always', install: 'Install Bun (https://bun.sh)', failures: npm.failures },
  { programs: ['bun'], verbs: ['x'], install: 'Install Bun (https://bun.sh)', failures: npm.failures },
  { programs: ['uvx'], verbs: 'always', ...uv },
  { programs: ['uv'], verbs: ['run', 'tool'], ...uv },
  { programs: ['pipx'], verbs: ['run'], install: 'Install pipx (https://pipx.pypa.io)', failures: pip },
  { programs: ['deno'], verbs: ['run'], install: 'Install Deno (https://deno.com)', failures: [noNetwork] },
  { programs: ['go'], verbs: ['run'], install: 'Install Go (https://go.dev/dl/)', failures: [noNetwork] },
  { programs: ['dnx'], verbs: 'always', install: 'Install the .NET SDK 10 or later', failures: [noNetwork] },
  { programs: ['dotnet'], verbs: ['run', 'tool'], install: 'Install the .NET SDK', failures: [noNetwork] },
];

/** The launcher that a command line starts, behind Windows' `cmd /c` too. */
export function launcherOf(command: string, args: readonly string[]): Launcher | undefined {
  const name = programName(command);
  const [flag, inner, ...rest] = args;
  // Configurations written for Windows start everything through `cmd /c`.
  if (name === 'cmd' && inner !== undefined && /^\/c$/i.test(flag ?? '')) return launcherOf(inner, rest);
  return launchers.find(({ programs, verbs }) => {
    if (!programs.includes(name)) return false;
    if (verbs === 'always') return true;
    const verb = args.findIndex(arg => verbs.includes(arg));
    const isFlagOrItsValue = (arg: string, index: number): boolean =>
      arg.startsWith('-') || args[index - 1]?.startsWith('-') === true;
    return verb !== -1 && args.slice(0, verb).every(isFlagOrItsValue);
  });
}

/** True if the first start may take a download. */
export function isPackageLauncher(command: string, args: readonly string[]): boolean {
  return launcherOf(command, args) !== undefined;
}

/** What to install where that program is missing. */
export function installHint(command: string): string | undefined {
  const name = programName(command);
  const launcher = launchers.find(({ programs }) => programs.includes(name));
  if (launcher === undefined) return undefined;
  return launcher.install.toLowerCase().includes(` ${name}`)
    ? launcher.install
    : `${launcher.install}, which brings ${name}`;
}

/** What a launcher's own failure means; undefined where it is the started program's. */
export function launcherFailure(launcher: Launcher, stderr: readonly string[]): string | undefined {
  const said = stderr.join('\n');
  return launcher.failures.find(([pattern]) => pattern.test(said))?.[1];
}

/** The user's settings of launchers and of what they start, which decide what is fetched and from where. */
const settings =
  /^(?:UV_|PIP_|PIPX_|NPM_CONFIG_|PNPM_|YARN_|BUN_|DENO_|NUGET_|DOTNET_|GO(?:PROXY|PRIVATE|NOPROXY|NOSUMDB|SUMDB|INSECURE|FLAGS|CACHE|MODCACHE|BIN|ENV|TOOLCHAIN|WORK|ARCH|OS)$|PYTHON(?:UNBUFFERED|UTF8|IOENCODING|DONTWRITEBYTECODE|PYCACHEPREFIX|HASHSEED|WARNINGS)$|VIRTUAL_ENV$|COREPACK_|CGO_ENABLED$)/i;

/** True for a variable of that kind. */
export function isLauncherSetting(name: string): boolean {
  return settings.test(name);
}

function programName(command: string): string {
  return /([^/\\]*?)(?:\.(?:exe|cmd|bat|ps1))?$/i.exec(command)?.[1]?.toLowerCase() ?? '';
}
