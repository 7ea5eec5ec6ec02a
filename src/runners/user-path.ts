import { posix, win32 } from 'node:path';

/** Folders that npm puts before the user's own PATH when it runs a script. */
const ofNpm = /[/\\](?:node_modules[/\\]\.bin|node-gyp-bin)[/\\]?$/;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The environment with the PATH that the user has, where `npm start` or `npx` started us: else `npx x` of a server would
 * run what this checkout has installed.
 */
export function withoutNpmPath(env: Variables, platform: NodeJS.Platform): Variables {
  if (env['npm_execpath'] === undefined && env['npm_lifecycle_event'] === undefined) return env;
  const name = Object.keys(env).find(key => (platform === 'win32' ? key.toUpperCase() : key) === 'PATH');
  const path = name === undefined ? undefined : env[name];
  if (name === undefined || path === undefined) return env;
  const { delimiter } = platform === 'win32' ? win32 : posix;
  const folders = path.split(delimiter);
  const first = folders.findIndex(folder => !ofNpm.test(folder));
  return { ...env, [name]: folders.slice(first < 0 ? folders.length : first).join(delimiter) };
}
