import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '../../core/json.ts';
import type { McpClient } from '../mcp-client.ts';
import type { Hello } from './legacy-session.ts';

/** Longer ids are not made: a header has its limits, and such a session ends with the service. */
const longestHello = 2_000;

/**
 * Ids of 2025 sessions that say what the client said at `initialize`, signed: a service that was restarted takes a session
 * of its own up again. Most SDKs do not begin a new one on 404, though the specification says that they must.
 */
export interface SessionIds {
  make(client: McpClient, hello: Hello): string;
  /** What was said when this id was made for that client on that path; undefined for any other id. */
  read(id: string, client: McpClient): Hello | undefined;
}

/** Ids that only holders of the key can make. */
export function sessionIds(key: string): SessionIds {
  const sign = (text: string): Buffer => createHmac('sha256', key).update(`mcp-session ${text}`).digest();
  return {
    make(client, { protocolVersion, capabilities }) {
      const nonce = randomBytes(18).toString('base64url');
      const said = JSON.stringify([client.id, client.server ?? null, protocolVersion, capabilities]);
      if (said.length > longestHello) return nonce;
      const text = `${nonce}.${Buffer.from(said).toString('base64url')}`;
      return `${text}.${sign(text).toString('base64url')}`;
    },
    read(id, client) {
      const [nonce, said, signature] = id.split('.');
      if (nonce === undefined || said === undefined || signature === undefined) return undefined;
      const given = Buffer.from(signature, 'base64url');
      const right = sign(`${nonce}.${said}`);
      if (given.byteLength !== right.byteLength || !timingSafeEqual(given, right)) return undefined;
      // Whoever has the key wrote it.
      const [owner, server, protocolVersion, capabilities] = JSON.parse(Buffer.from(said, 'base64url').toString()) as [
        string,
        string | null,
        string,
        unknown,
      ];
      if (owner !== client.id || server !== (client.server ?? null)) return undefined;
      return { protocolVersion, capabilities: isJsonObject(capabilities) ? capabilities : {} };
    },
  };
}
