import type { CatalogAnswer } from '../../api/catalog.ts';
import type { GatewayStartAnswer, GatewayStopAnswer, LoadAnswer, UnloadAnswer } from '../../api/lifecycle.ts';
import type { Envelope } from '../../commands/envelope.ts';
import { LongshoreError } from '../../core/errors.ts';

type Answers = LoadAnswer | UnloadAnswer | CatalogAnswer | GatewayStartAnswer | GatewayStopAnswer;

/** What was done as the answer of a route; what was not done at all is a problem. */
export function answerOf<Answer extends Answers>(envelope: Envelope): Answer {
  if (envelope.status === 'error') {
    throw new LongshoreError(envelope.code, envelope.error, envelope.data ? { data: envelope.data } : {});
  }
  // The verbs give exactly these; their test holds them to the schemas above.
  return envelope as unknown as Answer;
}
