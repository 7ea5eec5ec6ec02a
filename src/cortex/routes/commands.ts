import type { CommandAnswer } from '../../api/commands.ts';
import { runLine } from '../../commands/run-line.ts';
import { verbs } from '../../commands/verbs.ts';
import type { Log } from '../../core/ports/log.ts';
import type { HostService } from '../../host/host-service.ts';
import { maskTexts } from '../../secrets/mask-texts.ts';
import type { AddRoute } from '../route-maker.ts';

/** `POST /api/commands`: one line with a `!mcp-` verb; 200 with its result, whatever that is (R28). */
export function commandsRoute(on: AddRoute, { redactor }: HostService, log: Log): void {
  on('POST /api/commands', async ({ operator, body: { line }, signal }) => {
    const envelope = await runLine(verbs, line, await operator(), log, signal);
    const { data, ...rest } = envelope;
    const told = envelope.status === 'ok' ? rest : { ...rest, error: redactor.text(envelope.error) };
    return { ...told, ...(data && { data: maskTexts(data, redactor) }) } satisfies CommandAnswer;
  });
}
