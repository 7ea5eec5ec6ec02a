import { asLongshoreError } from '../../core/errors.ts';

/** What one check found: one sentence and, where something is to be done, the one action that mends it. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly check: string;
  /** `warning`: something does not work that may not be needed. `problem`: Longshore does not work as it should. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly sentence: string;
  /** A command, or what to do outside Longshore. */
  readonly action?: string;
}

/** The machine and person that are looked at. */
export interface Patient {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly nodeVersion: string;
}

/** Everything is as it should be. */
export function fine(check: string, sentence: string): Finding {
  return { check, state: 'ok', sentence };
}

/** A failure as a finding: our own sentences say what to do already. */
export function failing(check: string, error: unknown, state: 'warning' | 'problem' = 'problem'): Finding {
  const [sentence = '', ...advice] = splitSentences(asLongshoreError(error).message);
  return { check, state, sentence, ...(advice.length > 0 && { action: advice.join(' ') }) };
}

/** The first sentence tells what is wrong, the rest what to do (core/errors.ts). */
function splitSentences(message: string): readonly string[] {
  return message.split(/(?<=[.?!]) (?=[A-Z])/);
}
