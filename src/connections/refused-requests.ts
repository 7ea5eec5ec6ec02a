import type { Diagnostic } from '../core/words.ts';
import { cut } from '../lib/cut.ts';

/** So many methods are told of. */
const mostTold = 10;

/** The requests of one server that nobody answers: they were refused, and its diagnostics say so. */
export class RefusedRequests {
  readonly #methods = new Set<string>();

  add(method: string): void {
    if (this.#methods.size < mostTold) this.#methods.add(cut(method, 80));
  }

  diagnostics(): readonly Diagnostic[] {
    if (this.#methods.size === 0) return [];
    const methods = [...this.#methods];
    const message = `The server asked for ${methods.join(', ')}, which was not offered to it; it was refused.`;
    return [{ code: 'refused-request', message, data: { methods } }];
  }
}
