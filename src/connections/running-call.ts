import type { CallClient } from '../core/ports/call-client.ts';

/** One call under way, as what its server asks and says meanwhile sees it. */
export interface RunningCall {
  /** Who is behind it, if anybody is. */
  readonly client: CallClient | undefined;
  /** Fires when the call has ended, however it did. */
  readonly over: AbortSignal;
  /** Stops the call's clocks until the returned function is called. */
  pause(): () => void;
}

/** Those whose clients are there, or all if none is: a call whose client is away with a question has asked already. */
export function attended(calls: readonly RunningCall[]): readonly RunningCall[] {
  const there = calls.filter(({ client }) => client?.isThere?.() ?? true);
  return there.length > 0 ? there : calls;
}

/** Whose calls those are: one client's, of nobody, or of several who cannot be told apart. */
export function clientBehind(calls: readonly RunningCall[]): CallClient | 'several' | undefined {
  const [first, ...others] = calls;
  const isOne = others.every(({ client }) => client?.identity === first?.client?.identity);
  return isOne ? first?.client : 'several';
}
