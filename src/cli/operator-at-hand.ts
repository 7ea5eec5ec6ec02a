import { readFileSync } from 'node:fs';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import { LongshoreError } from '../core/errors.ts';
import type { Terminal } from './terminal.ts';

/** Adds `--operator-token`, for decisions that are made without a terminal. */
export function decision<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command.option('--operator-token <file>', "without a terminal: the operator's token, named on purpose");
}

/**
 * Decisions are the operator's: a person at a terminal, or a script that somebody gave the token on purpose, which is
 * given back to decide with. A program that merely runs commands is refused. Throws `denied`,
 * or `usage` for a file of something else.
 */
export function requireOperator(
  terminal: Terminal,
  { operatorToken: path }: { readonly operatorToken?: string | undefined },
): string | undefined {
  if (path !== undefined) return readToken(path);
  if (terminal.canAsk) return undefined;
  throw new LongshoreError(
    'denied',
    'Only the operator decides. Do it on a terminal or on the page, or name the token on purpose: --operator-token, with the path of operator.token in the home.',
  );
}

function readToken(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new LongshoreError('usage', `The file ${path} of --operator-token cannot be read.`, { cause: error });
  }
  if (/^lso_[A-Za-z0-9_-]{43}$/.test(text)) return text;
  throw new LongshoreError('usage', `${path} does not hold an operator's token.`);
}
