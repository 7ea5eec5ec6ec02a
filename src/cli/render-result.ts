import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { RawResult } from '../core/words.ts';

/** A call's result for a person: text as it is, everything else as one line that says what it is and how large. */
export function renderResult(result: RawResult): string {
  const content = Array.isArray(result['content']) ? (result['content'] as readonly JsonValue[]) : [];
  const lines = content.map(renderBlock);
  const structured = result['structuredContent'];
  if (structured !== undefined && lines.length === 0) lines.push(JSON.stringify(structured, null, 2));
  return lines.join('\n');
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
