// Not by name: an older Node lacks `hash`, and would fail at import before it can be said which Node is needed.
import crypto from 'node:crypto';
import type { Brand } from './brand.ts';
import { LongshoreError } from './errors.ts';

/** The DID of an agent: who owns servers and calls tools (R66). */
export type AgentId = Brand<string, 'AgentId'>;
/** A server's short name, `[A-Za-z0-9_-]`, unique within its agent and never changed. */
export type ServerKey = Brand<string, 'ServerKey'>;
/** One negotiated connection; random, never reused (R40). */
export type Epoch = Brand<string, 'Epoch'>;
/** The name of a mounted handle, `[A-Za-z0-9_-]`, at most 48 characters. */
export type HandleName = Brand<string, 'HandleName'>;
/** One row of the ledger. */
export type HoldingId = Brand<string, 'HoldingId'>;
/** One home folder, over all its processes. */
export type HomeId = Brand<string, 'HomeId'>;
/** One run of one host: a home has many over its life, one at a time. */
export type InstanceId = Brand<string, 'InstanceId'>;
/** One dispatch: joins its authorisation row and its outcome row. */
export type DispatchId = Brand<string, 'DispatchId'>;
export type ApprovalId = Brand<string, 'ApprovalId'>;
export type RuleId = Brand<string, 'RuleId'>;
/** Lower-case hex of a SHA-256. */
export type Digest = Brand<string, 'Digest'>;

/** 32 digits of lower-case hex with 122 random bits; the source of every id that must not be guessed or reused. */
export type RandomId = () => string;

/** A UUID, whose random bits Node draws for many at once: each call needs one. */
export const randomId: RandomId = () => crypto.randomUUID().replaceAll('-', '');

/**
 * The id of a dispatch that begins now (milliseconds since 1970): 12 digits of its time, then random ones. Ids that grow
 * with the time are added at the end of the record's index, where a commit of many rows writes one page instead of many.
 */
export function newDispatchId(now: number, random: RandomId): DispatchId {
  const time = Math.max(0, Math.trunc(now)).toString(16).padStart(12, '0').slice(-12);
  return `${time}${random().slice(-20)}` as DispatchId;
}

/** SHA-256 of a text's UTF-8 bytes, in lower-case hex. */
export function sha256(text: string): Digest {
  return crypto.hash('sha256', text, 'hex') as Digest;
}

/** `did:<method>:<id>`, no whitespace (R57, R66). Throws `invalid-identity`. */
export function agentId(value: unknown): AgentId {
  if (typeof value !== 'string' || !/^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$/.test(value)) {
    throw new LongshoreError(
      'invalid-identity',
      `An agent is named by a DID such as did:key:z6Mk…, not by ${JSON.stringify(value)}.`,
    );
  }
  return value as AgentId;
}

/** The key of the server that is Longshore itself: searching, loading and unloading servers, as tools. */
export const ownServerKey = 'longshore' as ServerKey;

/** Keys that no server of a user's gets: the Docker MCP Gateway's, and our own. */
export const reservedServerKeys: readonly string[] = ['gateway', ownServerKey];

/** Checks the grammar of a server key; throws `usage`. */
export function serverKey(value: string): ServerKey {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(value)) {
    throw new LongshoreError(
      'usage',
      `A server key has 1 to 64 of the characters A-Z a-z 0-9 _ -, not ${JSON.stringify(value)}.`,
    );
  }
  return value as ServerKey;
}
