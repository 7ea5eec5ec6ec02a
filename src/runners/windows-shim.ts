import { win32 } from 'node:path';

/** The names under which Windows would start a command: as it is, and with each extension of PATHEXT. */
export function programNames(command: string, pathExt: string | undefined): readonly string[] {
  const extensions = (pathExt ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(extension => extension.startsWith('.'));
  const has = extensions.some(extension => command.toUpperCase().endsWith(extension.toUpperCase()));
  const startable = extensions.filter(extension => /^\.(?:com|exe|bat|cmd)$/i.test(extension));
  return [...(has ? [command] : []), ...startable.map(extension => command + extension.toLowerCase())];
}

/** True for files that Windows only starts through its shell. */
export function isBatchFile(file: string): boolean {
  return /\.(?:cmd|bat)$/i.test(file);
}

/** What a shim starts: a script by node, or a program. Absolute paths. */
export interface ShimTarget {
  readonly file: string;
  readonly by: 'node' | 'itself';
}

/**
 * Finds out what an npm-style `.cmd` shim starts, so that it can be started without a shell; `undefined` for any other
 * batch file. Knows the shims that npm, pnpm and yarn write, and the `npm.cmd` and `npx.cmd` that come with Node.
 */
export function shimTarget(file: string, text: string): ShimTarget | undefined {
  const own = (path: string): string => win32.join(win32.dirname(file), path);
  const here = String.raw`%(?:~dp0|dp0%)\\?`;
  // The line that passes the arguments on: "program" "script" %*
  const call = /^[^:\r\n]*?((?:"[^"\r\n]*"\s*)+)%\*/gm;
  for (const [, words = ''] of text.matchAll(call)) {
    const last = [...words.matchAll(/"([^"]*)"/g)].at(-1)?.[1] ?? '';
    const named = /^%(\w+)%$/.exec(last)?.[1];
    const value = named === undefined ? last : new RegExp(`SET "${named}=(${here}[^"%]*)"`, 'i').exec(text)?.[1];
    const path = new RegExp(`^${here}([^%]+)$`, 'i').exec(value ?? '')?.[1];
    if (path === undefined) continue;
    if (/\.[cm]?js$/i.test(path)) return { file: own(path), by: 'node' };
    if (/\.(?:exe|com)$/i.test(path) && !/(?:^|\\)node\.exe$/i.test(path)) return { file: own(path), by: 'itself' };
  }
  return undefined;
}
