import { z } from '@hono/zod-openapi';
import type { ServerSettings } from '../../client/api-types.ts';
import { defaultDeadlines } from '../../core/deadlines.ts';

/** What belongs to how we run a server, beside its config. */
export const settingsSchema = z
  .strictObject({
    allowUnsafe: z.exactOptional(z.boolean()),
    allowSecretArguments: z.exactOptional(z.boolean()),
    container: z.exactOptional(
      z.strictObject({
        network: z.exactOptional(z.enum(['bridge', 'none'])),
        mounts: z.exactOptional(z.array(z.string().min(1).max(4_096)).max(100)),
        memory: z.exactOptional(z.string().regex(/^\d+[bkmg]?$/i, 'must be a size such as 512m')),
        cpus: z.exactOptional(z.number().positive().max(4_096)),
        pids: z.exactOptional(z.int().positive().max(4_194_304)),
      }),
    ),
  })
  .openapi('ServerSettings') satisfies z.ZodType<ServerSettings>;

const milliseconds = z.number().positive().max(2_147_483_647);

/** A server's own deadlines. */
export const deadlinesSchema = z
  .strictObject(
    Object.fromEntries(Object.keys(defaultDeadlines).map(name => [name, z.exactOptional(milliseconds)])) as Record<
      keyof typeof defaultDeadlines,
      z.ZodExactOptional<typeof milliseconds>
    >,
  )
  .openapi('Deadlines');
