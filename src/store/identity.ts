import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import { LongshoreError } from '../core/errors.ts';
import { type AgentId, agentId } from '../core/ids.ts';
import { makePrivateFile, readPrivateFile } from '../core/private-file.ts';
import { didKey } from './did-key.ts';

/** The agent that a home has of its own, with the key that proves it. */
export interface Identity {
  readonly agentId: AgentId;
  /** Ed25519; never leaves this process. */
  readonly privateKey: KeyObject;
}

const identityFile = z.object({
  did: z.string(),
  privateKey: z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() }),
});

/**
 * Reads a home's `identity.json`, or makes it at first use: of several processes that make it at once one wins, and all
 * get the same. Others than its owner cannot read it. Throws `invalid-identity` if the file does not hold together.
 */
export function readIdentity(path: string): Identity {
  return parseIdentity(path, readPrivateFile(path) ?? makePrivateFile(path, newIdentity()));
}

function newIdentity(): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const file = { did: didKey(publicKey), privateKey: privateKey.export({ format: 'jwk' }) };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

function parseIdentity(path: string, text: string): Identity {
  try {
    const file = identityFile.parse(JSON.parse(text));
    const privateKey = createPrivateKey({ key: file.privateKey, format: 'jwk' });
    const own = didKey(createPublicKey(privateKey));
    if (own === file.did) return { agentId: own, privateKey };
  } catch {
    // Not even as a cause: the messages of the parsers quote the file, which holds the key.
  }
  throw new LongshoreError(
    'invalid-identity',
    `${path} does not hold a DID with its Ed25519 key. Restore it from a backup; without it this home's agent cannot be proven. To begin as a new agent, move it away.`,
    { data: { path } },
  );
}

/**
 * The agent of a program that embeds Longshore (R66), read once: its own `agentId` where it passes one, whatever that
 * is worth, and the home's own only where it passes none at all. Throws `invalid-identity`; nothing else is tried.
 */
export function resolveAgentId(host: { readonly agentId?: unknown }, own: () => AgentId): AgentId {
  return Object.hasOwn(host, 'agentId') ? agentId(host.agentId) : own();
}
