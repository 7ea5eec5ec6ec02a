import type { RunFlag } from './parse-run.ts';

/**
 * A flag with `~`, `$HOME` and `$PWD` at the start of its path written out, as a shell would have done before docker saw
 * them: there is no shell here. Only for flags that name a path of this machine.
 */
export function expandPath(flag: RunFlag, { home, cwd }: { readonly home: string; readonly cwd: string }): RunFlag {
  const { name, value } = flag;
  if (value === undefined) return flag;
  const expanded = (path: string) =>
    path.replace(
      /^(?:~(?=[/\\:,]|$)|(?:\$(HOME|PWD)|\$\{(HOME|PWD)\})(?![\w]))/,
      (_, plain?: string, braced?: string) => ((plain ?? braced) === 'PWD' ? cwd : home),
    );
  if (name === '--volume' || name === '--env-file' || name === '--label-file')
    return { ...flag, value: expanded(value) };
  if (name !== '--mount') return flag;
  return {
    ...flag,
    value: value.replace(
      /((?:^|,)"?(?:source|src)=)([^,"]*)/gi,
      (_, before: string, path: string) => before + expanded(path),
    ),
  };
}
