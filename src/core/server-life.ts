import type { LongshoreError } from './errors.ts';

/** Where a server is, as the fleet knows it; the part of it that words are found for. */
export type ServerLife =
  | { readonly name: 'stopped' }
  | { readonly name: 'starting'; readonly phase: string; readonly detail?: string }
  | { readonly name: 'connected' }
  | { readonly name: 'closing' }
  | { readonly name: 'failed'; readonly error: LongshoreError }
  | {
      readonly name: 'restarting';
      readonly error: LongshoreError;
      readonly attempt: number;
      readonly of: number;
      /** Milliseconds since 1970. */
      readonly at: number;
    }
  | { readonly name: 'crash-loop'; readonly error: LongshoreError }
  | { readonly name: 'close-failed'; readonly error: LongshoreError };

/** What is known of one server when somebody asks how it is. */
export interface ServerFacts {
  readonly serverKey: string;
  /** False for a saved server that must not be started. */
  readonly enabled: boolean;
  readonly life: ServerLife;
  /** How many tools it has mounted. */
  readonly tools: number;
  /** What of a connected server does not work, each as a sentence: a list that failed, a malformed tool. */
  readonly shortcomings: readonly string[];
  /** Tools whose definition has changed since "always allow": calls of them ask anew (R42). */
  readonly changedTools: readonly string[];
}
