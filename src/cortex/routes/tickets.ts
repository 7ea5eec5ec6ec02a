import { LongshoreError } from '../../core/errors.ts';
import type { HostService } from '../../host/host-service.ts';
import type { AddRoute } from '../route-maker.ts';
import { type Tickets, ticketSeconds } from '../tickets.ts';

/** `POST /api/tokens/:name/tickets`: lets `longshore mcp` connect once as that caller, without its token at hand. */
export function ticketRoute(on: AddRoute, { tokens }: Pick<HostService, 'tokens'>, tickets: Tickets): void {
  on('POST /api/tokens/:name/tickets', async ({ params: { name } }) => {
    const client = (await tokens.list()).find(one => one.name === name && one.revokedAt === null);
    if (client) return { ticket: tickets.issue(client), expiresInSeconds: ticketSeconds };
    throw new LongshoreError(
      'unknown-caller',
      `There is no caller ${JSON.stringify(name)}. Make it with: longshore token create ${name}`,
    );
  });
}
