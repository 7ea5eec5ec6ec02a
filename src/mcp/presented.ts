import { headerFault } from '../connections/x-mcp-header.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { Era, Handle } from '../core/words.ts';

/**
 * A definition as a client sees it: verbatim, but for its name. What a client of that era could not read, or would hide
 * the whole tool for, is taken out (docs/clients.md lists the differences).
 */
export function presented({ kind, handleName, definition }: Handle, era: Era): JsonObject {
  if (kind === 'resource' || kind === 'template') return definition;
  const named = { ...definition, name: handleName };
  if (kind === 'prompt') return named;
  return era === 'legacy' ? withObjectOutput(named) : withGoodHeaders(named);
}

/** Before 2026-07-28 a structured result is an object, and its schema that of one; see `presentedResult`. */
function withObjectOutput(tool: JsonObject): JsonObject {
  const { outputSchema } = tool;
  if (outputSchema === undefined || (isJsonObject(outputSchema) && outputSchema.type === 'object')) return tool;
  const { outputSchema: _other, ...rest } = tool;
  return rest;
}

/** Over HTTP a client leaves out a tool with a wrong annotation, and it is only a hint. */
function withGoodHeaders(tool: JsonObject): JsonObject {
  return headerFault(tool.inputSchema) === undefined
    ? tool
    : { ...tool, inputSchema: withoutHeaders(tool.inputSchema ?? {}) };
}

function withoutHeaders(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(item => withoutHeaders(item as JsonValue));
  if (!isJsonObject(schema)) return schema;
  const { 'x-mcp-header': _annotation, ...rest } = schema;
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, value === undefined ? value : withoutHeaders(value)]),
  );
}

const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/**
 * A result as a client sees it: verbatim, without what the server says of itself, and with what the client's revision
 * asks of a result.
 */
export function presentedResult(result: JsonObject, era: Era): JsonObject {
  const { resultType, _meta, ...rest } = result;
  const meta = isJsonObject(_meta) ? withoutServerInfo(_meta) : _meta;
  const kept = meta === undefined ? rest : { ...rest, _meta: meta };
  if (era === 'modern') return { ...kept, resultType: resultType ?? 'complete' };
  const { structuredContent } = kept as JsonObject;
  if (structuredContent === undefined || isJsonObject(structuredContent)) return kept;
  return { ...kept, structuredContent: { result: structuredContent } };
}

function withoutServerInfo(meta: JsonObject): JsonObject | undefined {
  const { [serverInfoKey]: _info, ...rest } = meta;
  return Object.keys(rest).length === 0 && serverInfoKey in meta ? undefined : rest;
}
