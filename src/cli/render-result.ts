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
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block);
    case 'image':
    case 'audio':
      return `[${block['type']} ${String(block['mimeType'])}, ${bytesOf(block['data'])} bytes]`;
    case 'resource_link':
      return `[resource ${String(block['uri'])}]`;
    case 'resource': {
      const { resource } = block;
      if (!isJsonObject(resource)) return JSON.stringify(block);
      if (typeof resource['text'] === 'string') return resource['text'];
      return `[resource ${String(resource['uri'])}, ${bytesOf(resource['blob'])} bytes]`;
    }
    default:
      return JSON.stringify(block);
  }
}

function bytesOf(base64: JsonValue | undefined): number {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
}
