import { ProtocolError } from '@modelcontextprotocol/client';
import { type ErrorCode, LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { lastWordsOf } from './last-words.ts';
import type { ServerLink } from './server-link.ts';

/** What a failed negotiation means for whoever started the server, with what the server said on stderr. */
export async function startFailure(
  { opened, tap }: Pick<ServerLink, 'opened' | 'tap'>,
  cause: unknown,
): Promise<LongshoreError> {
  const found = inOurWords(cause) ?? tap.explain?.(cause) ?? unexplained(cause);
  const lost = found.code === 'connection-lost' || found.code === 'protocol-error';
  const lastWords = lost ? await lastWordsOf(opened) : undefined;
  const stderr = opened.stderrTail();
  const notes = opened.diagnostics().map(({ message }) => message);
  if (lastWords === undefined && stderr.length === 0 && notes.length === 0) return found;
  const data = { ...found.data, stderr, ...(notes.length > 0 && { notes }) };
  if (lastWords === undefined) return new LongshoreError(found.code, found.message, { cause: found, data });
  return new LongshoreError('failed-to-start', `${lastWords} It did not get as far as speaking MCP.`, { cause, data });
}

/** What a start fails with where the server is not what it was remembered as. */
const signsOfChange: ReadonlySet<ErrorCode> = new Set([
  'no-common-version',
  'protocol-error',
  'connection-lost',
  'failed-to-start',
  'unreachable',
  'server-error',
  'discovery-failed',
]);

/** True if a remembered verdict may be what was wrong, so that it is worth asking the server anew. */
export function mayBlameVerdict({ code, data }: LongshoreError): boolean {
  // With `found`, the lists themselves are wrong, and would be again.
  return signsOfChange.has(code) && data?.found === undefined;
}

function inOurWords(cause: unknown): LongshoreError | undefined {
  if (cause instanceof LongshoreError) return cause;
  if (!(cause instanceof ProtocolError)) return undefined;
  const { code, message, data } = cause;
  const error: JsonObject = { code, message, ...(isJsonObject(data) && { data }) };
  return new LongshoreError('protocol-error', `The server refused the handshake: ${message}`, {
    cause,
    data: { error },
  });
}

function unexplained(cause: unknown): LongshoreError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new LongshoreError('protocol-error', `The server and Longshore came to no agreement: ${said}`, { cause });
}
