import type { JsonObject } from './json.ts';

/** One row of the error table. */
export interface ErrorRow {
  /** Status of the REST API's problem document. */
  readonly http: number;
  /** Exit code of the CLI (docs/errors.md). */
  readonly exit: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 130;
  /** True if the same request may succeed later without any change by the user. A call that may have run is never retryable. */
  readonly retryable: boolean;
}

function row(http: number, exit: ErrorRow['exit'], retryable = false): ErrorRow {
  return { http, exit, retryable };
}

/** Every error that Longshore reports, by code. docs/errors.md lists exactly these; a test compares them. */
export const errorTable = {
  internal: row(500, 1),
  usage: row(400, 2),
  'bad-config': row(400, 2),
  'bad-setting': row(500, 2),
  'bad-arguments': row(400, 2),
  'unresolved-reference': row(422, 4),
  'secret-unreadable': row(503, 4),
  'unsafe-refused': row(400, 2),
  'ambiguous-ref': row(409, 2),
  'unknown-server': row(404, 2),
  'unknown-agent': row(404, 2),
  'unknown-tool': row(404, 2),
  'unknown-approval': row(404, 2),
  'unknown-rule': row(404, 2),
  'unknown-caller': row(404, 2),
  'needs-login': row(409, 3),
  'command-not-found': row(502, 4),
  'failed-to-start': row(502, 4),
  unreachable: row(502, 4, true),
  'no-common-version': row(502, 4),
  'protocol-error': row(502, 4),
  'discovery-failed': row(502, 4),
  'connection-lost': row(502, 4, true),
  'unknown-outcome': row(502, 4),
  'server-closing': row(409, 9, true),
  'server-disabled': row(409, 9),
  'already-running': row(409, 9, true),
  'close-failed': row(502, 1, true),
  'docker-unavailable': row(503, 4, true),
  'docker-failed': row(502, 4),
  'image-not-found': row(404, 4),
  'catalog-unreadable': row(502, 4, true),
  'name-in-use': row(409, 9),
  'ownership-mismatch': row(409, 9),
  'in-use-by-other-home': row(409, 9),
  'tool-error': row(200, 5),
  'server-error': row(502, 5),
  'result-too-large': row(502, 5),
  denied: row(403, 6),
  'stale-handle': row(409, 7),
  'approval-pending': row(202, 7, true),
  'approval-closed': row(409, 7),
  'approval-rejected': row(403, 7),
  'approval-expired': row(403, 7),
  timeout: row(504, 8),
  cancelled: row(499, 130),
  'cannot-record': row(503, 1, true),
  'forged-authorisation': row(500, 1),
  'not-signed-in': row(401, 6),
  'wrong-host': row(421, 2),
  'wrong-origin': row(403, 2),
  'unknown-route': row(404, 2),
  'not-available': row(501, 2),
  'too-large': row(413, 2),
  'too-many-requests': row(429, 1, true),
  'invalid-identity': row(500, 2),
  'home-in-use': row(409, 9, true),
  'store-corrupt': row(500, 1),
  'store-newer': row(500, 1),
} as const satisfies Record<string, ErrorRow>;

/** A code of the error table; callers branch on it. */
export type ErrorCode = keyof typeof errorTable;

/** What an error may carry besides its sentence. */
export interface ErrorDetail {
  readonly cause?: unknown;
  /** Machine-readable facts, free of secrets: field paths, exit codes, stderr lines. */
  readonly data?: JsonObject;
}

/** Every error that leaves Longshore. Branch on `code`, show `message`: one or two sentences that say what to do next. */
export class LongshoreError extends Error {
  override readonly name = 'LongshoreError';
  readonly code: ErrorCode;
  readonly data: JsonObject | undefined;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.data = detail.data;
  }

  /** The table's row: status, exit code, retryable. */
  get row(): ErrorRow {
    return errorTable[this.code];
  }
}

/** The error itself if it is ours, else `internal` (or the given code) with the original as its cause. */
export function asLongshoreError(error: unknown, code: ErrorCode = 'internal'): LongshoreError {
  if (error instanceof LongshoreError) return error;
  return new LongshoreError(code, error instanceof Error ? error.message : String(error), { cause: error });
}
