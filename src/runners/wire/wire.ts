import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** One JSON-RPC message, parsed. */
export type Frame = JSONRPCMessage;

/**
 * A two-way stream of JSON-RPC messages. It has the SDK's Transport shape, so that the SDK's Client can sit on it;
 * everything of ours that is about bytes, processes and sockets lives behind it.
 */
export interface Wire extends Transport {
  /** Ends the protocol session where there is one (HTTP DELETE); a server that refuses it (405) is fine. */
  endSession?(signal: AbortSignal): Promise<void>;
}
