import { spawn } from 'node:child_process';

/** How each platform opens an address in the person's browser. */
export function openCommand(address: string, platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', address];
  // `start` would take the address apart at &; this one takes it as it is.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address];
  return ['xdg-open', address];
}

/** Opens an address in the browser, as well as can be: without one the address has been printed. */
export function openBrowser(address: string, platform: NodeJS.Platform): void {
  const [command, ...args] = openCommand(address, platform);
  const child = spawn(command, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
