import { isJsonObject, type JsonObject } from '../core/json.ts';
import { wellFormedJson } from '../core/well-formed.ts';
import type { Era } from '../core/words.ts';
import { Prepared } from './json-rpc.ts';
import { freshness, serverInfo } from './methods/greeting.ts';

export const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/** A list's result around its JSON text. */
export function listResult(name: string, json: string, era: Era, meta: JsonObject = {}): Prepared {
  const rest = era === 'modern' ? { ...freshness, ...completed({ _meta: meta }) } : withMeta(meta);
  const members = wellFormedJson(rest).slice(1, -1);
  return new Prepared(`{${JSON.stringify(name)}:${json}${members === '' ? '' : `,${members}`}}`);
}

/** What every result of 2026-07-28 has: that it is complete, and whose word it is. */
export function completed(result: JsonObject): JsonObject {
  const { _meta } = result;
  return {
    resultType: 'complete',
    ...result,
    _meta: { ...(isJsonObject(_meta) ? _meta : {}), [serverInfoKey]: serverInfo },
  };
}

function withMeta(meta: JsonObject): JsonObject {
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}
