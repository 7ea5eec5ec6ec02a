import { type Digest, sha256 } from '../../core/ids.ts';
import { canonicalJson, type JsonObject } from '../../core/json.ts';

/** What of a call's `_meta` goes to the server and is not the protocol's own. */
export interface CallMeta {
  readonly meta: JsonObject;
  readonly metaDigest: Digest;
}

/** Nothing that a server acts on: where progress goes, which trace a call belongs to, and what the protocol and we put there. */
const ownKeys = /^(?:progressToken|traceparent|tracestate|baggage)$|^(?:io\.modelcontextprotocol|longshore)\//;

/** What of `_meta` whoever decides must see, and a grant binds; undefined if there is nothing of that kind. */
export function callMeta(given: JsonObject | undefined): CallMeta | undefined {
  const members = Object.entries(given ?? {}).filter(([key, value]) => value !== undefined && !ownKeys.test(key));
  if (members.length === 0) return undefined;
  const meta = Object.fromEntries(members) as JsonObject;
  return { meta, metaDigest: sha256(canonicalJson(meta)) };
}
