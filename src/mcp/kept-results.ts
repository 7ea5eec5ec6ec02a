import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../core/json.ts';
import { cut } from '../lib/cut.ts';
import type { McpClient } from './mcp-client.ts';

/** Where results are read that were too large to be handed over. */
const prefix = 'longshore://results/';

interface Kept {
  readonly owner: string;
  readonly text: string;
  readonly timer: NodeJS.Timeout;
}

/** Milliseconds that a result is kept. */
const lifetime = 60 * 60_000;
/** Characters of all kept results together; the oldest make room. */
const mostKept = 256 * 1024 * 1024;
/** Characters of the text that a summary shows. */
const excerpt = 2_000;

/** Results that were too large: kept whole as resources of the client that asked, which is given a summary. */
export class KeptResults {
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  /** The result as it is, or where it is longer than `limit` characters of JSON, its summary with the address of the whole. */
  within(
    client: McpClient,
    handleName: string,
    result: JsonObject,
    limit: number,
    hasOutputSchema: boolean,
  ): JsonObject {
    const { content } = result;
    if (!Array.isArray(content)) return result;
    const text = JSON.stringify(result);
    if (text.length <= limit) return result;
    const uri = this.#keep(client, text);
    const size = `${text.length} characters`;
    return {
      content: [
        {
          type: 'text',
          text: `The result of ${handleName} is ${size} long, more than the ${limit} that are handed over at once. It is kept whole for an hour as the resource ${uri} (JSON). It begins:\n${beginning(result)}`,
        },
        {
          type: 'resource_link',
          uri,
          name: `The whole result of ${handleName}`,
          mimeType: 'application/json',
          size: Buffer.byteLength(text),
        },
      ],
      // A client would refuse a result that lacks the structure its tool promised, and then nobody would read this.
      ...((result.isError === true || hasOutputSchema) && { isError: true }),
    };
  }

  /** What `resources/read` gives for the address of a kept result; undefined for any other. */
  read(client: McpClient, uri: string): JsonObject | undefined {
    const kept = this.#kept.get(uri);
    if (kept?.owner !== client.id) return undefined;
    return { contents: [{ uri, mimeType: 'application/json', text: kept.text }] };
  }

  clear(): void {
    for (const uri of this.#kept.keys()) this.#drop(uri);
  }

  #keep(client: McpClient, text: string): string {
    const uri = `${prefix}${randomBytes(16).toString('base64url')}`;
    const timer = setTimeout(() => this.#drop(uri), lifetime);
    timer.unref();
    this.#kept.set(uri, { owner: client.id, text, timer });
    this.#size += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= mostKept || oldest === uri) break;
      this.#drop(oldest);
    }
    return uri;
  }

  #drop(uri: string): void {
    const kept = this.#kept.get(uri);
    if (!kept) return;
    clearTimeout(kept.timer);
    this.#kept.delete(uri);
    this.#size -= kept.text.length;
  }
}

/** The first text of the result, or of the whole of it. */
function beginning(result: JsonObject): string {
  const blocks = Array.isArray(result.content) ? (result.content as readonly JsonObject[]) : [];
  const text = blocks.map(block => block.text).find(one => typeof one === 'string');
  const whole = text ?? JSON.stringify(result.structuredContent ?? null);
  return cut(whole, excerpt).toWellFormed();
}
