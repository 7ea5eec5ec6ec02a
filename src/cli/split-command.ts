/**
 * Splits a command line at its first `--`: what stands behind it is a server's own command and is never read by us.
 * `command` is undefined where there is no `--`.
 */
export function splitCommand(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly command: readonly string[] | undefined;
} {
  const at = argv.indexOf('--');
  return at === -1 ? { own: argv, command: undefined } : { own: argv.slice(0, at), command: argv.slice(at + 1) };
}
