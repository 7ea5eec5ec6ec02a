import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Whether this machine can run the tests that need a real browser; `reason` says why not. */
export type RealChromium =
  | { readonly available: true; readonly path: string }
  | { readonly available: false; readonly reason: string };

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

let found: Promise<RealChromium> | undefined;

/**
 * Looks for a Chromium: the program that CHROMIUM_PATH names, else one on PATH. Without one a developer's run leaves the
 * tests of the page out and says so in one line; in CI it is a failure (`.ci/run` installs one).
 */
export function realChromium(): Promise<RealChromium> {
  found ??= chromiumOf(process.env, line => process.stderr.write(line));
  return found;
}

/** The same for an environment; rejects where it is CI's and there is none. */
export async function chromiumOf(env: NodeJS.ProcessEnv, say: (line: string) => unknown): Promise<RealChromium> {
  const path = programPath(env);
  const reason = path === undefined ? 'there is no Chromium on PATH' : await whyNot(path);
  if (path !== undefined && reason === undefined) return { available: true, path };
  const why = reason ?? 'none was found';
  if (env['CI'] === 'true') throw new Error(`CI must run the tests of the page, but ${why}.`);
  say(`Tests of the page left out: ${why} (install Chromium, or name one with CHROMIUM_PATH)\n`);
  return { available: false, reason: why };
}

function programPath(env: NodeJS.ProcessEnv): string | undefined {
  const named = env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return named;
  const folders = (env['PATH'] ?? '').split(delimiter);
  return folders.flatMap(folder => names.map(name => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function whyNot(path: string): Promise<string | undefined> {
  try {
    await promisify(execFile)(path, ['--version']);
    return undefined;
  } catch (error) {
    return `${path} does not run: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
  }
}
