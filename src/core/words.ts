import type { AgentId, Digest, Epoch, HandleName, ServerKey } from './ids.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { OlderEra } from './older-era.ts';

/** How a server is shipped; one runner each. */
export type ServerKind = 'process' | 'docker-run' | 'docker-image' | 'remote' | 'gateway';

/** How a connection's messages travel. */
export type TransportName = 'stdio' | 'streamable-http' | 'sse';

/** The specification's two families: `modern` is 2026-07-28 and later, `legacy` has the initialize handshake. */
export type Era = 'modern' | 'legacy';

/** Who asks on an agent's behalf: the person, an embedding program, or a client with its own token. */
export type Caller = 'operator' | 'library' | `client:${string}`;

/** What a handle can be; a template stands for the resources whose URIs match it. */
export const handleKinds = ['tool', 'resource', 'template', 'prompt'] as const;
export type HandleKind = (typeof handleKinds)[number];

/** What a rule says about a call, from the most open to the most closed. */
export const levels = ['allow', 'ask', 'always-ask', 'deny'] as const;
/** One of `levels`. `always-ask` is an ask that no standing permission answers. */
export type Level = (typeof levels)[number];

/** A tool, resource, resource template or prompt exactly as its server sent it: unknown fields included, nothing re-ordered or dropped. */
export type Definition = JsonObject & { readonly name: string };

/** What a server is started from, as a standing permission is bound to it: another program is another server under the same name. */
export interface Program {
  /** SHA-256 over command, arguments and folder, or the image with its registry, or the URL. */
  readonly digest: Digest;
  /** For a person; what looks like a secret is masked. */
  readonly text: string;
}

/** One mounted tool, resource, resource template or prompt; immutable and bound to the connection that advertised it (R40). */
export interface Handle {
  readonly agentId: AgentId;
  readonly ownerKey: ServerKey;
  readonly handleName: HandleName;
  readonly kind: HandleKind;
  /** `null` while the server sleeps: a dormant handle from the cached definitions. */
  readonly epoch: Epoch | null;
  /** The name the server knows: a tool's or prompt's name, a resource's URI, a template's URI template. */
  readonly wireName: string;
  readonly definitionDigest: Digest;
  /** Absent for what is our own. */
  readonly program?: Program;
  /** Verbatim, as the server sent it. */
  readonly definition: Definition;
  /** The revision negotiated with its server (R45); for a dormant handle the one it last had. */
  readonly protocolVersion: string;
}

/** Why a handle was withdrawn. */
export type WithdrawReason = 'reload' | 'unload' | 'gateway-replaced' | 'list-changed' | 'connection-lost' | 'shutdown';

/** What is wrong with a server without making it useless: a malformed tool, noise on stdout, a guessed transport. */
export interface Diagnostic {
  /** Kebab-case, stable. */
  readonly code: string;
  readonly message: string;
  readonly data?: JsonObject;
}

/** Progress of one call: as the server sent it. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The request that a dispatch sends: fixed by the authorisation, so that nothing else can be sent in its name. */
export interface Operation {
  readonly agentId: AgentId;
  /** Whom the leave was given. */
  readonly caller: Caller;
  readonly epoch: Epoch;
  readonly method: 'tools/call' | 'resources/read' | 'prompts/get' | 'completion/complete' | 'resources/subscribe';
  /** Tool or prompt name, resource URI, or what is completed: prompt name or URI template. */
  readonly wireName: string;
  readonly arguments: JsonObject;
  /** The handle's own definition; gives the HTTP wire its header annotations. */
  readonly definition: Definition;
  /** Only of `completion/complete`: `ref`, `argument` and `context` as the protocol has them. */
  readonly completes?: JsonObject;
  /** Further `_meta` members to pass on (traceparent …); reserved keys are the connection's own. */
  readonly meta?: JsonObject;
}

/** What a server says of itself besides what it offers, verbatim. */
export interface SelfDescription {
  readonly instructions?: string;
  readonly capabilities: JsonObject;
  /** What was learned about its older revisions. */
  readonly olderEra?: OlderEra;
}

/** A result verbatim: for `tools/call` with `content`, `isError`, `structuredContent`, `_meta` … as they came. */
export type RawResult = { readonly [key: string]: JsonValue | undefined };
