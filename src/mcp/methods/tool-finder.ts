import type { JsonObject } from '../../core/json.ts';
import type { Handle } from '../../core/words.ts';
import type { McpClient } from '../mcp-client.ts';

/** The one tool besides the pinned ones of a client whose list stays small. */
export const findToolsName = 'find_tools';

/** So many hits are given, and join the list; the oldest of a client's hits leave it for new ones. */
const mostHits = 10;
const mostFound = 50;

/** Finds tools by words. */
export interface ToolSearch {
  search(client: McpClient, query: string, limit: number): readonly Handle[];
}

/** What `find_tools` is to a client. */
export const findToolsDefinition = {
  name: findToolsName,
  title: 'Find tools',
  description:
    'Finds tools by words of what they do, their names or their parameters. The tools found join the list of tools and can then be called by their names.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words that say what the tool should do' },
      limit: { type: 'integer', minimum: 1, maximum: mostHits, description: `At most so many (default ${mostHits})` },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
} as const satisfies JsonObject;

/** Which tools each client has found, of those whose lists stay small. */
export class ToolFinder {
  readonly #search: ToolSearch;
  readonly #found = new Map<string, Set<string>>();
  readonly #onFound: (client: McpClient) => void;

  /** `onFound` is told when a client's list has grown. */
  constructor(search: ToolSearch, onFound: (client: McpClient) => void) {
    this.#search = search;
    this.#onFound = onFound;
  }

  /** True for a client that sees pinned and found tools only. */
  narrows({ scope }: McpClient): boolean {
    return scope().list !== 'all';
  }

  hasFound({ id }: McpClient, { handleName }: Handle): boolean {
    return this.#found.get(id)?.has(handleName) === true;
  }

  /** The result of a call of `find_tools`. */
  find(client: McpClient, args: JsonObject): JsonObject {
    const { query, limit } = args;
    if (typeof query !== 'string' || query.trim() === '') {
      return failure('query must be some words that say what the tool should do.');
    }
    const most = typeof limit === 'number' && limit >= 1 ? Math.min(Math.floor(limit), mostHits) : mostHits;
    const hits = this.#search.search(client, query, most);
    this.#join(client, hits);
    const tools = hits.map(({ handleName, definition: { title, description, inputSchema } }) => ({
      name: handleName,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      inputSchema,
    }));
    const lines = tools.map(
      ({ name, description }) => `${name}: ${typeof description === 'string' ? description.split('\n')[0] : ''}`,
    );
    const text =
      hits.length === 0
        ? 'No tool fits these words. Try others, or fewer.'
        : `Found ${hits.length}; they are in the list of tools now.\n${lines.join('\n')}`;
    return { content: [{ type: 'text', text }], structuredContent: { tools } };
  }

  forget(clientId: string): void {
    this.#found.delete(clientId);
  }

  #join(client: McpClient, hits: readonly Handle[]): void {
    const found = this.#found.get(client.id) ?? new Set<string>();
    const before = found.size;
    const isNew = hits.some(({ handleName }) => !found.has(handleName));
    for (const { handleName } of hits) {
      found.delete(handleName);
      found.add(handleName);
    }
    for (const oldest of found) {
      if (found.size <= mostFound) break;
      found.delete(oldest);
    }
    this.#found.set(client.id, found);
    if (isNew || found.size !== before) this.#onFound(client);
  }
}

function failure(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}
