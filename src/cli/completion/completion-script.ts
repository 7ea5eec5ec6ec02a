import { LongshoreError } from '../../core/errors.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

/** The scripts, by shell. */
const scripts: ReadonlyMap<string, string> = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

/** The shells that there is a script for. */
export const completionShells: readonly string[] = [...scripts.keys()];

/** The completion script of a shell, to be evaluated by it. Throws `usage` for a shell that is not known. */
export function completionScript(shell: string): string {
  const script = scripts.get(shell);
  if (script !== undefined) return script;
  throw new LongshoreError(
    'usage',
    `There is no completion for ${JSON.stringify(shell)}; there is for ${completionShells.join(', ')}.`,
  );
}
