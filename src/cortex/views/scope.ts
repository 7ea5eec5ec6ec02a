import { z } from '@hono/zod-openapi';
import type { CallerScope } from '../../core/caller-scope.ts';
import { maybe } from './common.ts';

const patterns = z.array(z.string().min(1).max(200)).max(200);

const members = {
  servers: z
    .array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the key of a server'))
    .max(200)
    .nullable(),
  tools: patterns.nullable(),
  risk: z.enum(['all', 'read-only']),
  list: z.union([z.literal('all'), z.object({ pins: patterns })]),
  manages: z.boolean(),
};

/** What a client's token reaches, whole. */
export const scopeSchema = z.object(members).openapi('CallerScope') satisfies z.ZodType<CallerScope>;

/** What of it is asked for, or changed. Patterns are read by whoever keeps it. */
export const scopeChangeSchema = z
  .strictObject({
    servers: maybe(members.servers),
    tools: maybe(members.tools),
    risk: maybe(members.risk),
    list: maybe(members.list),
    manages: maybe(members.manages),
  })
  .openapi('CallerScopeChange') satisfies z.ZodType<Partial<CallerScope>>;
