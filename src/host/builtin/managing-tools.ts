import type { JsonObject } from '../../core/json.ts';
import type { Definition } from '../../core/words.ts';

/** The names of the tools by which clients ask for servers, as the server of that key offers them. */
export type ManagingToolName = 'search' | 'load' | 'unload';

const toolList: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, server: { type: 'string' }, description: { type: 'string' } },
    required: ['name', 'server'],
  },
};

/** What those tools are to a client. A person is asked about every call of them, whatever rules say. */
export const managingTools: readonly (Definition & { readonly name: ManagingToolName })[] = [
  {
    name: 'search',
    title: 'Search for servers',
    description:
      'Finds MCP servers that are saved or loaded here, and tools of theirs, by words of their names, descriptions or parameters. Without words it gives all servers.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words that say what you need' },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: 'At most so many of each (default 10)' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        servers: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              server: { type: 'string', description: 'What load and unload take' },
              name: { type: 'string' },
              kind: { type: 'string' },
              state: { type: 'string' },
              saved: { type: 'boolean' },
              tools: { type: 'integer', description: 'How many tools of it you may call' },
            },
            required: ['server', 'name', 'kind', 'state', 'saved', 'tools'],
          },
        },
        tools: toolList,
      },
      required: ['servers', 'tools'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'load',
    title: 'Load a server',
    description:
      'Starts an MCP server, so that its tools join the list: a saved one by its name, or a container image such as mcp/time or ghcr.io/acme/tool:1.2. An image may be downloaded first.',
    inputSchema: {
      type: 'object',
      properties: { ref: { type: 'string', minLength: 1, description: 'The name of a saved server, or an image' } },
      required: ['ref'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { server: { type: 'string' }, kind: { type: 'string' }, tools: toolList },
      required: ['server', 'kind', 'tools'],
    },
    // It may download an image, and what runs in it may reach the internet.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
  {
    name: 'unload',
    title: 'Unload a server',
    description:
      'Ends a server that you have loaded yourself from an image, with everything that it keeps in memory. Saved servers stay; they fall asleep when nobody calls them.',
    inputSchema: {
      type: 'object',
      properties: { server: { type: 'string', minLength: 1, description: 'As load named it' } },
      required: ['server'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { server: { type: 'string' }, handlesWithdrawn: { type: 'integer' } },
      required: ['server', 'handlesWithdrawn'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
];
