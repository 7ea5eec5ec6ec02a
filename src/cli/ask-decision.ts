import type { ApprovalView, DecideRequest, Scope } from '../client/api-types.ts';
import { renderApproval } from './render-approvals.ts';
import type { Terminal } from './terminal.ts';

const words: Readonly<Record<Scope, string>> = {
  once: '[o]nce',
  session: 'for this [s]ession',
  always: '[a]lways',
};

/**
 * Shows one question and asks the person at the terminal. Undefined for an empty line or the end of input: it stays
 * open.
 */
export async function askDecision(approval: ApprovalView, terminal: Terminal): Promise<DecideRequest | undefined> {
  await terminal.err(`${renderApproval(approval, Date.now())}\n`);
  const choices = approval.scopes.map(scope => words[scope]).join(', ');
  for (;;) {
    const answer = await terminal.ask(`Allow: ${choices}; or [r]eject; Enter leaves it open. > `);
    const word = answer?.trim().toLowerCase() ?? '';
    if (word === '') return undefined;
    const decision = decisionOf(word, approval.scopes);
    if (decision) return decision;
    await terminal.err(`${JSON.stringify(word)} is none of these.\n`);
  }
}

/** What a typed word decides; undefined for one that decides nothing. `y` and `yes` are for this one call. */
export function decisionOf(word: string, scopes: readonly Scope[]): DecideRequest | undefined {
  if (['r', 'reject', 'n', 'no'].includes(word)) return { approve: false };
  const meant = word === 'y' || word === 'yes' ? 'once' : word;
  const scope = scopes.find(one => one === meant || one.charAt(0) === meant);
  return scope && { approve: true, scope };
}
