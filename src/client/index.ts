/** `longshore/client`: a typed client of a running service. It loads nothing but Node's own modules. */
import '../core/required-node.ts';

export type { CallerScope } from '../core/caller-scope.ts';
export { type ErrorCode, LongshoreError } from '../core/errors.ts';
export type * from './api-types.ts';
export type { AskArguments, Asked } from './ask.ts';
export { type Client, type ClientOptions, connectService } from './client.ts';
export type { ServiceEvent } from './events.ts';
