import { type AgentId, sha256 } from '../core/ids.ts';
import { canonicalJson, type JsonObject } from '../core/json.ts';
import type { VerdictKey } from '../core/ports/verdicts.ts';

/** What a verdict is about. */
export interface VerdictSubject {
  /** An OAuth login belongs to an agent and is in no header, so agents never share a verdict. */
  readonly agentId: AgentId;
  /** What identifies the server: kind, command and arguments, image digest, URL. */
  readonly server: JsonObject;
  /** What it is asked with, resolved: environment or headers. Only a digest of it is kept. */
  readonly credential: JsonObject;
}

/** The key under which a verdict is remembered; another credential never finds it. */
export function verdictKey({ agentId, server, credential }: VerdictSubject): VerdictKey {
  return sha256(canonicalJson(['verdict', agentId, server, credential])) as string as VerdictKey;
}
