import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/client';
import type { LongshoreError } from '../../core/errors.ts';
import type { Diagnostic } from '../../core/words.ts';

/** One JSON-RPC message, parsed. */
export type Frame = JSONRPCMessage;

/** What a wire can tell about the way by which a message came. */
export interface FrameOrigin extends MessageExtraInfo {
  /** The request of ours on whose own stream it came (HTTP); absent where messages of all requests share one way. */
  readonly ofRequest?: string | number;
}

/**
 * A two-way stream of JSON-RPC messages. It has the SDK's Transport shape, so that the SDK's Client can sit on it;
 * everything of ours that is about bytes, processes and sockets lives behind it.
 */
export interface Wire extends Transport {
  onmessage?: (<Message extends JSONRPCMessage>(message: Message, origin?: FrameOrigin) => void) | undefined;
  /** Ends the protocol session where there is one (HTTP DELETE); a server that refuses it (405) is fine. */
  endSession?(signal: AbortSignal): Promise<void>;
  /**
   * What an error that this wire (or the SDK on top of it) threw means, in our words and free of secrets: `unreachable`,
   * `needs-login`, `connection-lost`, `protocol-error` … `data.mayHaveRun` is false only where the server certainly did
   * not act on the request; a call that failed with true is an unknown outcome. JSON-RPC errors are no affair of a wire's.
   */
  explain?(error: unknown): LongshoreError;
  /** What was odd about the messages that came. */
  oddities?(): readonly Diagnostic[];
}
