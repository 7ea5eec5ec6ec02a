import { ProtocolError } from '@modelcontextprotocol/client';
import { refusedStatus } from './http-failure.ts';

/**
 * The newest of our revisions, but the first one, which was asked for, that a refusal of `initialize` names, in whichever
 * form it does: a list in the error's data, or anywhere in its message or in a body of text.
 */
export function namedRevision(refusal: unknown, revisions: readonly string[]): string | undefined {
  const said = refusalText(refusal);
  return said === undefined ? undefined : namedIn(said, revisions);
}

/** The same in a text. */
export function namedIn(said: string, [, ...others]: readonly string[]): string | undefined {
  const names = new Set(said.match(/\b20\d\d-[01]\d-[0-3]\d\b/g));
  return others.find(revision => names.has(revision));
}

function refusalText(refusal: unknown): string | undefined {
  if (refusal instanceof ProtocolError) return `${refusal.message} ${JSON.stringify(refusal.data) ?? ''}`;
  const refused = refusedStatus(refusal);
  // What a proxy or a login page says is not about revisions.
  return refused !== undefined && refused.status < 500 && refused.status !== 401 ? refused.text : undefined;
}
