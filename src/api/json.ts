import { z } from '@hono/zod-openapi';
import { type ErrorCode, errorTable } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { Diagnostic, RawResult } from '../core/words.ts';

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
  return z.coerce.number<number>().int().min(minimum).max(maximum).openapi({ type: 'integer', minimum, maximum });
}

/** A whole number of milliseconds that a timer can count. */
export const milliseconds = z.int().min(0).max(2_147_483_647);

/** Milliseconds since 1970. */
export const instant = z.number();

/** Every code that a failure may have (docs/errors.md). */
export const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** Something odd about a server or a configuration, for a person. */
export const diagnosticSchema = z
  .object({ code: z.string(), message: z.string(), data: maybe(jsonObject) })
  .openapi('Diagnostic') satisfies z.ZodType<Diagnostic>;

/** Whatever was asked for was done. */
export const doneSchema = z.object({ ok: z.literal(true) }).openapi('Done');
export type Done = Json<typeof doneSchema>;

/** `removed` is false if there was none. */
export const removedSchema = z.object({ ok: z.literal(true), removed: z.boolean() }).openapi('Removed');

/** What comes out of a schema, deeply read-only. */
export type Json<Schema extends z.ZodType> = Frozen<z.output<Schema>>;

/** What goes into a schema, deeply read-only: with defaults left out. */
export type JsonInput<Schema extends z.ZodType> = Frozen<z.input<Schema>>;

/** Objects with any member (`JsonObject`) are read-only by themselves. */
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? string extends keyof Value
      ? Value
      : { readonly [Key in keyof Value]: Frozen<Value[Key]> }
    : Value;
