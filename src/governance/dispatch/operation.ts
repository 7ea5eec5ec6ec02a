import type { JsonObject } from '../../core/json.ts';
import type { HandleKind, Operation } from '../../core/words.ts';
import type { AwakeHandle } from '../approvals/approval.ts';
import type { Call } from './call.ts';
import { templateUri } from './template-reads.ts';

const methods = {
  tool: 'tools/call',
  resource: 'resources/read',
  template: 'resources/read',
  prompt: 'prompts/get',
} as const satisfies Record<HandleKind, Operation['method']>;

/** The request that a call becomes. */
export function operationOf(handle: AwakeHandle, args: JsonObject, { caller, completes, meta }: Call): Operation {
  const { agentId, epoch, kind, wireName, definition } = handle;
  const base = { agentId, caller, epoch, definition, ...(meta && { meta }) };
  if (completes !== undefined) {
    const ref = kind === 'prompt' ? { type: 'ref/prompt', name: wireName } : { type: 'ref/resource', uri: wireName };
    return { ...base, method: 'completion/complete', wireName, arguments: {}, completes: { ...args, ref } };
  }
  return { ...base, method: methods[kind], wireName: templateUri(handle, args) ?? wireName, arguments: args };
}
