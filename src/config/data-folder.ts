import { posix, win32 } from 'node:path';

/** The machine and person that settings are read for. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
}

/** Where the platform wants a program's data: the default of LONGSHORE_HOME. */
export function dataFolder({ env, platform, homeDir }: Machine): string {
  if (platform === 'win32') {
    const local = env['LOCALAPPDATA'];
    return win32.join(isAbsolute(local, platform) ? local : win32.join(homeDir, 'AppData', 'Local'), 'Longshore');
  }
  if (platform === 'darwin') return posix.join(homeDir, 'Library', 'Application Support', 'Longshore');
  const data = env['XDG_DATA_HOME'];
  return posix.join(isAbsolute(data, platform) ? data : posix.join(homeDir, '.local', 'share'), 'longshore');
}

/** True for a path that needs no current folder to be understood. */
export function isAbsolute(path: string | undefined, platform: NodeJS.Platform): path is string {
  return path !== undefined && (platform === 'win32' ? win32 : posix).isAbsolute(path);
}
