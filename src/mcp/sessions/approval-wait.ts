import type { JsonObject } from '../../core/json.ts';
import type { Approval } from '../../governance/approvals/approval.ts';
import { clientHas, type Exchange, progressToken } from '../mcp-client.ts';

/** Where and how a waiting call can be decided. */
export interface WhereToDecide {
  readonly id: string;
  readonly url: string;
  readonly sentence: string;
}

export function whereToDecide({ id, handle }: Approval, url: string): WhereToDecide {
  const page = `${url}/#approval=${id}`;
  const sentence = `${handle.handleName} waits for a person's approval. It is decided at ${page} or with: longshore approve ${id}`;
  return { id, url: page, sentence };
}

/** Milliseconds between two words to a client that listens. */
const between = 5_000;
/** Smaller than any step of a server's own progress, which comes after it. */
const step = 1e-6;

/** How long a call may wait; milliseconds. */
export interface WaitLimits {
  readonly patience: number;
  /** The most for a client that hears nothing meanwhile. */
  readonly silent: number;
  /** For a client that was shown the page and has said nothing yet: it waits itself. */
  readonly withPage: number;
}

/**
 * Tells the client of a call that waits where it is decided, in the best way it has: the page by URL elicitation, else
 * progress. `giveUp` is called when it has waited long enough, or does not want to. What a client answers never decides.
 */
export function tellWaiting(
  exchange: Exchange,
  where: WhereToDecide,
  limits: WaitLimits,
  giveUp: () => void,
): Disposable {
  const over = new AbortController();
  const hasPage = clientHas(exchange, 'elicitation.url');
  const token = progressToken(exchange);
  const unseen = token === undefined ? Math.min(limits.patience, limits.silent) : limits.patience;
  let timer = setTimeout(giveUp, hasPage ? limits.withPage : unseen);
  let told = 0;
  const tell = (): void => {
    told += step;
    if (token !== undefined)
      exchange.notify('notifications/progress', { progressToken: token, progress: told, message: where.sentence });
  };
  const teller = hasPage ? undefined : setInterval(tell, between);
  if (hasPage) void show();
  else tell();

  async function show(): Promise<void> {
    const stays = await opened(exchange, where, over.signal);
    if (over.signal.aborted) return;
    clearTimeout(timer);
    if (stays) timer = setTimeout(giveUp, limits.patience);
    else giveUp();
  }

  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      clearInterval(teller);
      over.abort();
      if (hasPage && exchange.era === 'legacy')
        exchange.notify('notifications/elicitation/complete', { elicitationId: where.id });
    },
  };
}

/** False if the client does not want to see the page, or cannot. Never rejects. */
async function opened(exchange: Exchange, { id, url, sentence }: WhereToDecide, signal: AbortSignal): Promise<boolean> {
  const params: JsonObject = {
    mode: 'url',
    message: sentence,
    url,
    ...(exchange.era === 'legacy' && { elicitationId: id }),
  };
  try {
    const answers = await exchange.ask({ approval: { method: 'elicitation/create', params } }, signal);
    const { approval } = answers;
    return typeof approval === 'object' && approval !== null && (approval as JsonObject).action === 'accept';
  } catch {
    return false;
  }
}
