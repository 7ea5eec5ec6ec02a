import { readdir } from 'node:fs/promises';
import { posix, win32 } from 'node:path';

/** What the folders depend on. */
export interface ProgramFoldersSetup {
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Where version managers and installers put programs, which a program that a desktop started does not have on its PATH.
 * `*` stands for the folders of single versions; the highest version comes first.
 */
export function programFolderPatterns({ platform, homeDir, env }: ProgramFoldersSetup): readonly string[] {
  const home = (path: string): string => (platform === 'win32' ? win32 : posix).join(homeDir, path);
  const under = (variable: string, otherwise: string, rest: string): string =>
    (platform === 'win32' ? win32 : posix).join(env[variable] ?? home(otherwise), rest);
  if (platform === 'win32') {
    return [
      ...(env['NVM_SYMLINK'] === undefined ? [] : [env['NVM_SYMLINK']]),
      under('ProgramFiles', '../../Program Files', 'nodejs'),
      under('APPDATA', 'AppData/Roaming', 'npm'),
      under('APPDATA', 'AppData/Roaming', 'fnm/aliases/default'),
      under('LOCALAPPDATA', 'AppData/Local', 'Volta/bin'),
      under('LOCALAPPDATA', 'AppData/Local', 'mise/shims'),
      under('LOCALAPPDATA', 'AppData/Local', 'pnpm'),
      under('LOCALAPPDATA', 'AppData/Local', 'Programs/Python/*'),
      ...['.local/bin', '.cargo/bin', '.bun/bin', '.deno/bin', 'scoop/shims', '.dotnet/tools'].map(home),
    ];
  }
  const mac = platform === 'darwin' ? ['Library/Application Support/fnm', 'Library/pnpm'] : [];
  return [
    under('NVM_DIR', '.nvm', 'versions/node/*/bin'),
    under('FNM_DIR', '.local/share/fnm', 'aliases/default/bin'),
    under('FNM_DIR', '.local/share/fnm', 'node-versions/*/installation/bin'),
    ...mac.flatMap(path => [home(path), home(`${path}/aliases/default/bin`)]),
    under('VOLTA_HOME', '.volta', 'bin'),
    under('ASDF_DATA_DIR', '.asdf', 'shims'),
    under('MISE_DATA_DIR', '.local/share/mise', 'shims'),
    '/opt/homebrew/bin',
    '/usr/local/bin',
    '/home/linuxbrew/.linuxbrew/bin',
    ...['.local/bin', '.cargo/bin'].map(home),
    under('BUN_INSTALL', '.bun', 'bin'),
    under('PYENV_ROOT', '.pyenv', 'shims'),
    ...['.deno/bin', '.local/share/pnpm', '.dotnet/tools', 'go/bin', '.nix-profile/bin'].map(home),
    '/snap/bin',
    '/usr/bin',
    '/bin',
  ];
}

/** The folders that a pattern stands for; only those of `*` are looked for on disk. */
export async function expandFolder(pattern: string): Promise<readonly string[]> {
  const star = pattern.indexOf('*');
  if (star === -1) return [pattern];
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  try {
    const versions = await readdir(before);
    const byVersion = new Intl.Collator('en', { numeric: true });
    return versions.sort((a, b) => byVersion.compare(b, a)).map(version => before + version + after);
  } catch {
    return []; // that manager is not here
  }
}
