import { type ErrorCode, errorTable, LongshoreError } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';

/** The failure that an answer above 299 tells: a problem document of the service, or whatever else answered there. */
export function failureOf(status: number, text: string, url: string): LongshoreError {
  const problem = asJson(text);
  if (isJsonObject(problem) && typeof problem['detail'] === 'string' && typeof problem['code'] === 'string') {
    const { code, detail, data } = problem;
    if (isErrorCode(code)) return new LongshoreError(code, detail, isJsonObject(data) ? { data } : {});
    // A newer service may know more errors than we do.
    return new LongshoreError('internal', `${detail} (${code})`);
  }
  return new LongshoreError(
    'unreachable',
    `What answers at ${url} is not Longshore: it said ${status}. Check the address, or run: longshore doctor`,
    { data: { status } },
  );
}

/** The value of a JSON text, undefined for what is none. */
export function asJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}
