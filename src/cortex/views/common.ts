import { z } from '@hono/zod-openapi';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Diagnostic, RawResult } from '../../core/words.ts';

/** Any JSON object, as it is. */
export const jsonObject = z
  .custom<JsonObject>(isJsonObject, 'must be an object')
  .openapi({ type: 'object', additionalProperties: true });

/** The result of a tool, as its server sent it. */
export const rawResult = z
  .custom<RawResult>(isJsonObject, 'must be an object')
  .openapi('RawResult', { type: 'object', additionalProperties: true });

/** Any JSON value; what comes out of JSON is one. */
export const jsonValue = z.unknown() as unknown as z.ZodType<JsonValue>;

/**
 * A member that may be absent. To the type it is never `undefined`, which JSON cannot say; `z.exactOptional` means just
 * that, but the OpenAPI document would call its member required.
 */
export function maybe<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<Schema> {
  return schema.optional() as unknown as z.ZodExactOptional<Schema>;
}

/** A whole number in a query. */
export function wholeNumber(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) {
  return z.coerce.number().int().min(minimum).max(maximum).openapi({ type: 'integer', minimum, maximum });
}

export const diagnosticSchema = z
  .object({ code: z.string(), message: z.string(), data: maybe(jsonObject) })
  .openapi('Diagnostic') satisfies z.ZodType<Diagnostic>;

export const doneSchema = z.object({ ok: z.literal(true) }).openapi('Done');

/** Milliseconds since 1970. */
export const instant = z.number();

/** What every route takes that belongs to an agent. */
export const agentQuery = z.object({
  agent: z.string().min(1).max(256).optional().openapi({ description: "Name or DID; the home's own agent if absent" }),
});

/** A whole number of milliseconds that a timer can count. */
export const milliseconds = z.int().min(0).max(2_147_483_647);
