import { LongshoreError } from '../core/errors.ts';
import { answerLost, resultTooLarge, unreadableAnswer } from '../runners/transport/frames.ts';
import type { Answer } from '../runners/transport/tap.ts';

/** The error for an answer that is no result: `server-error` with the JSON-RPC error verbatim in `data`, and its kin. */
export function failureOf(answer: Exclude<Answer, { kind: 'result' }>, method: string): LongshoreError {
  if (answer.kind === 'malformed') {
    return new LongshoreError('protocol-error', `The server answered ${method} with something that is no result.`);
  }
  const { code, message } = answer.error;
  const said = typeof message === 'string' && message !== '' ? message : `JSON-RPC error ${JSON.stringify(code)}`;
  // Three codes are the wires' own: what they put in place of an answer that they could not give.
  if (code === resultTooLarge) return new LongshoreError('result-too-large', said, { data: answer.error });
  if (code === unreadableAnswer) {
    return new LongshoreError('protocol-error', `The server's answer to ${method} cannot be read. ${said}`);
  }
  if (code === answerLost) {
    const message = `The answer to ${method} was lost on its way; whether it was done is unknown.`;
    return new LongshoreError('unknown-outcome', message);
  }
  return new LongshoreError('server-error', `The server refused ${method}: ${said}`, { data: answer.error });
}
