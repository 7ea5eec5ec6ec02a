import type { Definition } from '../core/words.ts';
import { signature } from './signature.ts';

/** Longest description line; what is longer is cut at a word. */
const width = 100;

/** Tools as signatures, each with one line of its description. */
export function renderTools(tools: readonly Definition[]): string {
  const lines: string[] = [];
  for (const tool of tools) {
    lines.push(signature(tool.name, tool['inputSchema']));
    const line = oneLine(tool['description'] ?? tool['title']);
    if (line !== '') lines.push(`    ${line}`);
  }
  return lines.join('\n');
}

function oneLine(text: unknown): string {
  if (typeof text !== 'string') return '';
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= width) return line;
  const cut = line.lastIndexOf(' ', width - 1);
  return `${line.slice(0, cut > 0 ? cut : width - 1)}…`;
}
