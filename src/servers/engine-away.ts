import { LongshoreError } from '../core/errors.ts';

/**
 * The error `docker-unavailable`, if that is why something failed, however deep in its causes; else undefined. It says
 * nothing about the server: once the engine is back, what could not be done can be done (R67).
 */
export function engineAway(error: unknown, serverKey: string): LongshoreError | undefined {
  if (isAway(error)) return error;
  if (!reasons(error).some(hasAway)) return undefined;
  const message = `The Docker engine does not answer, and ${serverKey} went away with it. Start Docker: the next call starts it anew.`;
  return new LongshoreError('docker-unavailable', message, { cause: error });
}

function isAway(error: unknown): error is LongshoreError {
  return error instanceof LongshoreError && error.code === 'docker-unavailable';
}

function hasAway(error: unknown): boolean {
  return isAway(error) || reasons(error).some(hasAway);
}

function reasons(error: unknown): readonly unknown[] {
  if (error instanceof AggregateError) return error.errors;
  return error instanceof Error && error.cause !== undefined ? [error.cause] : [];
}
