import { LRUCache } from 'lru-cache';
import type { ServerKey } from '../core/ids.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { McpClient } from './mcp-client.ts';

/** So many of one client are remembered, the latest of them. */
const mostOfOneClient = 1_000;

/**
 * Which server a result's links lead to, so that a client can read what a tool pointed it at although no list has it.
 * Only whoever was shown a link can follow it.
 */
export class LinkedResources {
  readonly #links = new Map<string, LRUCache<string, ServerKey>>();

  /** Remembers the links in a result. */
  note(client: McpClient, server: ServerKey, result: JsonObject): void {
    for (const uri of linksOf(result)) {
      const own = this.#links.get(client.id) ?? new LRUCache<string, ServerKey>({ max: mostOfOneClient });
      this.#links.set(client.id, own);
      own.set(uri, server);
    }
  }

  serverOf(client: McpClient, uri: string): ServerKey | undefined {
    return this.#links.get(client.id)?.get(uri);
  }

  forget(clientId: string): void {
    this.#links.delete(clientId);
  }
}

function linksOf({ content, messages, contents }: JsonObject): readonly string[] {
  const blocks = [content, contents].flatMap(list => (Array.isArray(list) ? (list as readonly unknown[]) : []));
  const said = Array.isArray(messages) ? (messages as readonly unknown[]) : [];
  const inMessages = said.map(message => (isJsonObject(message) ? message.content : undefined));
  return [...blocks, ...inMessages].flatMap(block => {
    if (!isJsonObject(block)) return [];
    const { uri, resource } = block;
    const inner = isJsonObject(resource) ? resource.uri : undefined;
    return [uri, inner].filter(one => typeof one === 'string');
  });
}
