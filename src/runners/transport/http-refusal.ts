import { STATUS_CODES } from 'node:http';
import { stripVTControlCharacters } from 'node:util';
import { LongshoreError } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';

/** An answer with a status that says no. */
export interface HttpRefusal {
  readonly status: number;
  /** Its body, if any. */
  readonly text: string | undefined;
  /** `host:port`. */
  readonly place: string;
  /** Whether the request named a session. */
  readonly session: boolean;
  /** Whether the answer named a way to log in (WWW-Authenticate). */
  readonly challenged: boolean;
}

/** What an HTTP status other than 2xx means to a client of MCP; `data.error.code` is that of the JSON-RPC error in its body, if it has one. */
export function refusalFailure({ status, text, place, session, challenged }: HttpRefusal): LongshoreError {
  const said = excerpt(text);
  const title = `HTTP ${status}${STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`}`;
  const quote = said === '' ? '' : ` It says: ${said}`;
  const code = rpcError(text)?.['code'];
  const acted = {
    data: { status, mayHaveRun: status >= 500, ...(typeof code === 'number' && { error: { code } }) },
  };
  if (status === 401) {
    return new LongshoreError(
      'needs-login',
      `${place} asks for a login (${title}). Log in to it, or give the server a header with a valid credential.${quote}`,
      acted,
    );
  }
  if (status === 403 && challenged) {
    return new LongshoreError(
      'needs-login',
      `${place} refuses this credential (${title}). Log in with one that may use it, or change the server's header.${quote}`,
      acted,
    );
  }
  if (sessionIsGone(status, text, session)) {
    return new LongshoreError(
      'connection-lost',
      `${place} no longer knows this session (HTTP ${status}): it was restarted or dropped it. Try again on a new connection.`,
      acted,
    );
  }
  if (status >= 500 || status === 408 || status === 425 || status === 429 || (status >= 300 && status < 400)) {
    return new LongshoreError('unreachable', `${place} answers with ${title}. Try again later.${quote}`, acted);
  }
  if (status === 421) {
    return new LongshoreError(
      'protocol-error',
      `${place} does not accept being called by that host name (${title}). Add it to the server's allowed hosts.${quote}`,
      acted,
    );
  }
  if (status === 403) {
    const words = said === '' ? 'It does not say why.' : `It says: ${said}`;
    const advice = " If it is about the credential, change the server's headers.";
    return new LongshoreError('protocol-error', `${place} refuses (${title}). ${words}${advice}`, acted);
  }
  const advice = ownWords(text) !== undefined ? '' : ' This does not look like an MCP endpoint; check the URL.';
  return new LongshoreError('protocol-error', `${place} answers with ${title}.${advice}${quote}`, acted);
}

/**
 * True where a refusal means that the session has ended (legacy revisions): 404 by the specification; some servers say
 * 400 and name the session.
 */
export function sessionIsGone(status: number, text: string | undefined, session: boolean): boolean {
  return session && (status === 404 || (status === 400 && /\bsession\b/i.test(text ?? '')));
}

/** A JSON-RPC error of the 2026-07-28 revision in the body of a refusal: the server speaks MCP, only not with us. */
export function isModernRefusal(text: string | undefined): boolean {
  const code = rpcError(text)?.['code'];
  return typeof code === 'number' && code <= -32_020 && code >= -32_099;
}

/** What a program, and no proxy or web page, says in a JSON body: the message of a JSON-RPC error, or what APIs say in their own form. */
function ownWords(text: string | undefined): string | undefined {
  const body = jsonBody(text);
  const said = [
    rpcError(text)?.['message'],
    body?.['error_description'],
    body?.['error'],
    body?.['message'],
    body?.['detail'],
  ];
  return said.find(words => typeof words === 'string') ?? (rpcError(text) && '');
}

function rpcError(text: string | undefined): { readonly [member: string]: unknown } | undefined {
  const error = jsonBody(text)?.['error'];
  return isJsonObject(error) ? error : undefined;
}

function jsonBody(text: string | undefined): { readonly [member: string]: unknown } | undefined {
  try {
    const body: unknown = JSON.parse(text ?? '');
    return isJsonObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

const longestExcerpt = 500;

/** What of a body is shown to a person: an error's own message in JSON, "an HTML page", or the first 500 characters without control codes. */
export function excerpt(text: string | undefined): string {
  const shown = ownWords(text) || (text ?? '');
  if (/^\s*<(?:!doctype html|html)/i.test(shown)) return 'an HTML page';
  const plain = stripVTControlCharacters(shown)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return plain.length > longestExcerpt ? `${plain.slice(0, longestExcerpt - 1)}…` : plain;
}
