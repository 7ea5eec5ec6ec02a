import type { JsonObject } from '../core/json.ts';
import type { ServerInfo } from '../servers/server-info.ts';
import { command } from './command.ts';
import { type Envelope, partly, succeeded } from './envelope.ts';
import type { LoadReport, LoadWish, OperatorContext } from './operator-context.ts';

/** `!mcp-load <image>`: starts an image or saved server, lists and mounts its tools, and saves it (R31). */
export const mcpLoad = command<OperatorContext, 'image', never>({
  name: '!mcp-load',
  tool: 'mcp_load',
  summary: 'Load an MCP server from an image, or a saved one by its name',
  parameters: ['image'],
  flags: [],
  run: (context, { arguments: { image } }, signal) => load(context, { ref: image }, signal),
});

/** The same for every edge; rejects with why it did not start. */
export async function load(context: OperatorContext, wish: LoadWish, signal: AbortSignal): Promise<Envelope> {
  await context.record('mcp_load', wish.ref);
  return loaded(await context.load(wish, signal));
}

/** What a start came to: partial where it could not be saved or has added no tool (R31, R68). */
export function loaded({ report, ranBefore, saveError }: LoadReport): Envelope {
  const { server, tools } = report;
  const data = loadedData(report);
  const confirmation = `${server} is loaded and has ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}.`;
  if (saveError) return partly(confirmation, saveError.code, `It was not saved. ${saveError.message}`, data);
  if (tools.length === 0)
    return partly(confirmation, 'discovery-failed', 'It offers no tool that can be called.', data);
  if (ranBefore) return partly(confirmation, 'already-running', 'It was loaded before, so no tool was added.', data);
  return succeeded(confirmation, data);
}

function loadedData(report: ServerInfo): JsonObject {
  const { server, resourceId, kind, holdings, image, transport, protocol_version, tools, diagnostics } = report;
  return {
    server,
    resource_id: resourceId,
    kind,
    holdings,
    image,
    transport,
    protocol_version,
    tools: tools.map(({ handleName, toolName, description }) => ({
      handleName,
      toolName,
      ...(description !== undefined && { description }),
    })),
    notes: diagnostics.map(note => ({ ...note })),
  };
}
