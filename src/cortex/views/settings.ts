import { z } from '@hono/zod-openapi';
import type { ServerSettings } from '../../client/api-types.ts';
import { defaultDeadlines } from '../../core/deadlines.ts';
import { maybe } from './common.ts';

/** What belongs to how we run a server, beside its config. */
export const settingsSchema = z
  .strictObject({
    allowUnsafe: maybe(z.boolean()),
    allowSecretArguments: maybe(z.boolean()),
    container: maybe(
      z.strictObject({
        network: maybe(z.enum(['bridge', 'none'])),
        mounts: maybe(z.array(z.string().min(1).max(4_096)).max(100)),
        memory: maybe(z.string().regex(/^\d+[bkmg]?$/i, 'must be a size such as 512m')),
        cpus: maybe(z.number().positive().max(4_096)),
        pids: maybe(z.int().positive().max(4_194_304)),
      }),
    ),
  })
  .openapi('ServerSettings') satisfies z.ZodType<ServerSettings>;

const milliseconds = z.number().positive().max(2_147_483_647);

/** A server's own deadlines. */
export const deadlinesSchema = z
  .strictObject(
    Object.fromEntries(Object.keys(defaultDeadlines).map(name => [name, maybe(milliseconds)])) as Record<
      keyof typeof defaultDeadlines,
      z.ZodExactOptional<typeof milliseconds>
    >,
  )
  .openapi('Deadlines');
