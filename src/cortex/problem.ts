import { z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { errorCodes } from '../api/json.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/ports/log.ts';
import { maskTexts } from '../secrets/mask-texts.ts';
import type { Redactor } from '../secrets/redact.ts';

/** RFC 9457, with our `code`, whether the same request may succeed later, and `data` for programs. */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(errorCodes),
    retryable: z.boolean(),
    data: z.record(z.string(), z.unknown()).optional(),
  })
  .openapi('Problem');

/** The entry that every route's `responses` has for whatever goes wrong. */
export const problemResponses = {
  default: {
    description: 'What went wrong, as a problem document (RFC 9457)',
    content: { 'application/problem+json': { schema: problemSchema } },
  },
} as const;

/** A failure as a response: its problem document with the status of the error table, or the one given. */
export function problem(failure: LongshoreError, status: number = failure.row.http): Response {
  const { code, message, data } = failure;
  const body = {
    type: `urn:longshore:problem:${code}`,
    title: code.replaceAll('-', ' '),
    status,
    detail: message,
    code,
    retryable: failure.row.retryable,
    ...(data && { data }),
  };
  const headers = new Headers({ 'content-type': 'application/problem+json' });
  if (code === 'not-signed-in') headers.set('www-authenticate', 'Bearer realm="longshore"');
  const wait = data?.['retryAfterSeconds'];
  if (typeof wait === 'number') headers.set('retry-after', String(wait));
  return new Response(JSON.stringify(body), { status: httpStatus(status), headers });
}

/** A 2xx of the table (a tool's own failure, a call that waits) is a result, not a problem; its routes answer it themselves. */
function httpStatus(status: number): number {
  return status >= 400 && status <= 599 ? status : 500;
}

/** Turns whatever a handler threw into a problem; of our own mistakes it tells only that there was one, and logs the rest. */
export function onError(log: Log, redactor: Pick<Redactor, 'text'>): (error: Error) => Response {
  return error => {
    if (error instanceof HTTPException) return problem(badRequest(error), error.status);
    const failure = asLongshoreError(error);
    if (failure.code !== 'internal') return problem(masked(failure, redactor));
    log.error({ err: error }, 'A request failed by a mistake of ours.');
    return problem(new LongshoreError('internal', 'Something went wrong inside Longshore. Its log says what.'));
  };
}

/** Failures of servers quote what those wrote. */
function masked({ code, message, data }: LongshoreError, redactor: Pick<Redactor, 'text'>): LongshoreError {
  return new LongshoreError(code, redactor.text(message), data ? { data: maskTexts(data, redactor) } : {});
}

/** What the framework itself refuses: a body that is no JSON, or of another media type. */
function badRequest(error: HTTPException): LongshoreError {
  const sentences: Readonly<Record<number, string>> = {
    400: 'The body is not valid JSON.',
    415: 'Send the body as application/json, and say so in Content-Type.',
  };
  return new LongshoreError('usage', sentences[error.status] ?? 'The request cannot be read.');
}

interface Checked {
  readonly success: boolean;
  readonly target: string;
  readonly error?: { readonly issues: readonly z.core.$ZodIssue[] };
}

/**
 * Refuses what a route's schema does not accept: 400 with the path of every field and never a value. Routes
 * that take a server's configuration pass `bad-config`.
 */
export function refuseInvalid(code: 'usage' | 'bad-config' = 'usage') {
  return (result: Checked): undefined => {
    if (result.success) return undefined;
    const problems = (result.error?.issues ?? []).map(issue => ({
      path: fieldPath(issue.path),
      message: issue.message,
    }));
    const told = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
    const where = result.target === 'json' ? 'body' : result.target;
    const data: JsonObject = { in: where, problems };
    throw new LongshoreError(code, `The ${where} of the request is not valid. ${told}.`, { data });
  };
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}
