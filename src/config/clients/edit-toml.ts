import { stringify } from 'smol-toml';
import { lineEndOf, type Wanted } from './edit-parts.ts';

/** Adds a table behind everything else, where no other table can take it for its own. */
export function putInToml(text: string, { root, name, value }: Wanted): string {
  const lineEnd = lineEndOf(text);
  const table = root.reduceRight<object>((inner, key) => ({ [key]: inner }), { [name]: value });
  const lines = stringify(table).trimEnd().split('\n');
  // The tables above ours are named by it.
  const own = lines.slice(lines.findIndex(line => line.startsWith(`[${[...root, name].join('.')}]`)));
  const body = text.replace(/^\uFEFF/, '');
  const gap = body === '' ? '' : body.endsWith('\n') ? lineEnd : lineEnd + lineEnd;
  return `${text}${gap}${own.join(lineEnd)}${lineEnd}`;
}

/** Removes the table and those below it, with the empty line before it. */
export function takeFromToml(text: string, { root, name }: Wanted): string {
  const lines = text.split(/(?<=\n)/);
  const path = [...root, name];
  const isOwn = (line: string) => {
    const header = headerOf(line);
    return header !== undefined && path.every((step, index) => header[index] === step);
  };
  const start = lines.findIndex(isOwn);
  if (start === -1) return text;
  let end = start + 1;
  while (end < lines.length && (headerOf(lines[end] ?? '') === undefined || isOwn(lines[end] ?? ''))) end += 1;
  // Remarks above the next table belong to it.
  while (end < lines.length && end > start + 1 && /^\s*(?:#.*)?$/.test(lines[end - 1] ?? '')) end -= 1;
  const from = start > 0 && (lines[start - 1] ?? '').trim() === '' ? start - 1 : start;
  return [...lines.slice(0, from), ...lines.slice(end)].join('');
}

/** The path of a `[table]` line. */
function headerOf(line: string): readonly string[] | undefined {
  const [, inside] = /^\uFEFF?\s*\[\[?([^\]]+)\]/.exec(line) ?? [];
  return inside?.split('.').map(step => step.trim().replace(/^(["'])(.*)\1$/, '$2'));
}
