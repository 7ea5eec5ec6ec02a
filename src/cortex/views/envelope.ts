import { z } from '@hono/zod-openapi';
import type { CommandAnswer, LoadAnswer, UnloadAnswer } from '../../client/api-types.ts';
import type { Envelope } from '../../commands/envelope.ts';
import { LongshoreError } from '../../core/errors.ts';
import { errorCodes } from '../problem.ts';
import { diagnosticSchema, jsonObject, maybe } from './common.ts';
import { kindSchema, namedToolSchema, transportSchema } from './server.ts';

const done = {
  status: z.enum(['ok', 'partial']),
  confirmation: z.string(),
  error: maybe(z.string()),
  code: maybe(z.enum(errorCodes)),
};

export const loadSchema = z
  .object({
    ...done,
    data: z.object({
      server: z.string(),
      resource_id: z.string(),
      kind: kindSchema,
      holdings: z.array(z.string()),
      image: z.string().nullable(),
      transport: transportSchema,
      protocol_version: z.string(),
      tools: z.array(namedToolSchema),
      notes: z.array(diagnosticSchema),
    }),
  })
  .openapi('Loaded') satisfies z.ZodType<LoadAnswer>;

export const unloadSchema = z
  .object({
    ...done,
    data: z.object({
      server: z.string(),
      saved_removed: z.union([z.boolean(), z.enum(['not_saved', 'failed'])]),
      process_removed: z.union([z.boolean(), z.enum(['not_running', 'failed'])]),
      handles_withdrawn: z.int(),
    }),
  })
  .openapi('Unloaded') satisfies z.ZodType<UnloadAnswer>;

export const commandSchema = z
  .object({
    status: z.enum(['ok', 'partial', 'error']),
    confirmation: maybe(z.string()),
    error: maybe(z.string()),
    code: maybe(z.enum(errorCodes)),
    data: maybe(jsonObject),
  })
  .openapi('CommandResult') satisfies z.ZodType<CommandAnswer>;

/** What was done as the answer of a route; what was not done at all is a problem. */
export function answerOf<Answer extends LoadAnswer | UnloadAnswer>(envelope: Envelope): Answer {
  if (envelope.status === 'error') {
    throw new LongshoreError(envelope.code, envelope.error, envelope.data ? { data: envelope.data } : {});
  }
  // The verbs give exactly these; their test holds them to the schemas above.
  return envelope as unknown as Answer;
}
