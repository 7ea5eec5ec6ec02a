import { isJsonObject, type JsonObject } from '../core/json.ts';
import { legacyVersions } from '../core/protocol-versions.ts';
import type { Era } from '../core/words.ts';
import { tidyResult } from './result-forms.ts';

const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/**
 * A result as a client sees it: verbatim, without what the server says of itself, and with what the client's revision
 * asks of a result. `of` is the server's revision: before 2026-07-28 null is no structured content.
 */
export function toClientResult(result: JsonObject, era: Era, of?: string): JsonObject {
  const { resultType, _meta, ...rest } = withoutNull(tidyResult(result), of);
  const meta = isJsonObject(_meta) ? withoutServerInfo(_meta) : _meta;
  const kept = meta === undefined ? rest : { ...rest, _meta: meta };
  if (era === 'modern') return { ...kept, resultType: resultType ?? 'complete' };
  const { structuredContent } = kept as JsonObject;
  if (structuredContent === undefined || isJsonObject(structuredContent)) return kept;
  return { ...kept, structuredContent: { result: structuredContent } };
}

function withoutNull(result: JsonObject, of: string | undefined): JsonObject {
  if (result.structuredContent !== null || !legacyVersions.some(version => version === of)) return result;
  const { structuredContent: _, ...rest } = result;
  return rest;
}

function withoutServerInfo(meta: JsonObject): JsonObject | undefined {
  const { [serverInfoKey]: _info, ...rest } = meta;
  return Object.keys(rest).length === 0 && serverInfoKey in meta ? undefined : rest;
}
