/** Programs that download a package before they start it, by themselves or with one of these words. */
const launchers: Readonly<Record<string, readonly string[] | 'always'>> = {
  npx: 'always',
  pnpx: 'always',
  uvx: 'always',
  bunx: 'always',
  dnx: 'always',
  npm: ['exec', 'x'],
  pnpm: ['dlx'],
  yarn: ['dlx'],
  bun: ['x'],
  uv: ['tool', 'run'],
  pipx: ['run'],
};

/** True if the first start may take a download, so that opening gets `Deadlines.openLauncher`. */
export function isPackageLauncher(command: string, args: readonly string[]): boolean {
  const name = /([^/\\]*?)(?:\.(?:exe|cmd|bat|ps1))?$/i.exec(command)?.[1]?.toLowerCase() ?? '';
  // Configurations written for Windows start everything through `cmd /c`.
  const [flag, inner, ...rest] = args;
  if (name === 'cmd' && inner !== undefined && /^\/c$/i.test(flag ?? '')) return isPackageLauncher(inner, rest);
  const words = Object.hasOwn(launchers, name) ? launchers[name] : undefined;
  if (words === undefined || words === 'always') return words === 'always';
  const verb = args.findIndex(arg => words.includes(arg));
  const isFlagOrItsValue = (arg: string, index: number): boolean =>
    arg.startsWith('-') || args[index - 1]?.startsWith('-') === true;
  return verb !== -1 && args.slice(0, verb).every(isFlagOrItsValue);
}
