import { z } from '@hono/zod-openapi';
import type { TicketAnswer } from '../../client/api-types.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { HostService } from '../../host/host-service.ts';
import type { AddRoute } from '../route-maker.ts';
import { type Tickets, ticketSeconds } from '../tickets.ts';

const answer = z
  .object({ ticket: z.string(), expiresInSeconds: z.int() })
  .openapi('Ticket') satisfies z.ZodType<TicketAnswer>;

/** `POST /api/tokens/:name/tickets`: lets `longshore mcp` connect once as that caller, without its token at hand. */
export function ticketRoute(on: AddRoute, { tokens }: Pick<HostService, 'tokens'>, tickets: Tickets): void {
  on(
    'POST /api/tokens/:name/tickets',
    {
      summary: 'Make a ticket with which one client over stdio connects as this caller',
      params: z.object({ name: z.string().min(1).max(100) }),
      answer,
      status: 201,
    },
    async ({ params: { name } }) => {
      const client = (await tokens.list()).find(one => one.name === name && one.revokedAt === null);
      if (client) return { ticket: tickets.issue(client), expiresInSeconds: ticketSeconds };
      throw new LongshoreError(
        'unknown-caller',
        `There is no caller ${JSON.stringify(name)}. Make it with: longshore token create ${name}`,
      );
    },
  );
}
