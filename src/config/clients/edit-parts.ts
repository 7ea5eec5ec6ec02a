import type { JsonValue } from '../../core/json.ts';

/** Where an entry is put, and as what. */
export interface Wanted {
  readonly root: readonly string[];
  readonly name: string;
  readonly value: JsonValue;
}

/** The line end of a text: that of its first line. */
export function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}
