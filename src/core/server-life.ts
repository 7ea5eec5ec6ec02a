import type { LongshoreError } from './errors.ts';

/** Where a server is that did not start, or ended by itself. */
export type DownState =
  | { readonly name: 'failed'; readonly error: LongshoreError }
  /** It is started again at that time. */
  | {
      readonly name: 'restarting';
      readonly error: LongshoreError;
      readonly attempt: number;
      readonly of: number;
      /** Milliseconds since 1970. */
      readonly at: number;
    }
  /** It ended too often: only a restart by a person or a change of its config starts it again. */
  | { readonly name: 'crash-loop'; readonly error: LongshoreError };

/** Where one server of the fleet is. */
export type ServerLife =
  | { readonly name: 'stopped' }
  | { readonly name: 'starting'; readonly phase: string; readonly detail?: string }
  | { readonly name: 'connected' }
  | { readonly name: 'closing' }
  | DownState
  | { readonly name: 'close-failed'; readonly error: LongshoreError };

/** Where a saved server is; `unloaded` is not in the fleet, and only a load starts it. */
export type SavedLife = ServerLife | { readonly name: 'unloaded' };

/** What is known of one server when somebody asks how it is. */
export interface ServerFacts {
  readonly serverKey: string;
  /** False for a saved server that must not be started. */
  readonly enabled: boolean;
  readonly life: SavedLife;
  /** How many tools it has mounted. */
  readonly tools: number;
  /** What of a connected server does not work, each as a sentence: a list that failed, a malformed tool. */
  readonly shortcomings: readonly string[];
  /** Tools whose definition has changed since "always allow": calls of them ask anew (R42). */
  readonly changedTools: readonly string[];
}
