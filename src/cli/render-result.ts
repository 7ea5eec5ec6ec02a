import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { RawResult } from '../core/words.ts';

/**
 * A call's result for a person: text as it is, everything else as one line that says what it is and how large, and where
 * there are no blocks at all the JSON of what there is. Empty for a result that says nothing.
 */
export function renderResult(result: RawResult): string {
  const { content, structuredContent, isError: _error, _meta, resultType: _type, ...rest } = result;
  const lines = blocksOf(content).map(renderBlock);
  if (lines.length > 0) return lines.join('\n');
  if (structuredContent !== undefined && structuredContent !== null) return JSON.stringify(structuredContent, null, 2);
  if (Object.keys(rest).length > 0) return JSON.stringify(rest, null, 2);
  return content === undefined ? '{}' : '';
}

/** A server may have left out the list around its only block. */
function blocksOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(content)) return content as readonly JsonValue[];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content === undefined || content === null ? [] : [content];
}

function renderBlock(block: JsonValue): string {
  if (!isJsonObject(block)) return JSON.stringify(block);
  const { type, text, resource } = block;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'image' || type === 'audio')
    return `[${type} ${word(block['mimeType'])}, ${bytesOf(block['data'])} bytes]`;
  if (type === 'resource_link') return `[resource ${word(block['uri'])}]`;
  if (type !== 'resource' || !isJsonObject(resource)) return JSON.stringify(block);
  if (typeof resource['text'] === 'string') return resource['text'];
  return `[resource ${word(resource['uri'])}, ${bytesOf(resource['blob'])} bytes]`;
}

function word(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '?';
}

function bytesOf(base64: JsonValue | undefined): number {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
}
