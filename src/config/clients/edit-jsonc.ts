import { type Node, parseTree } from 'jsonc-parser';
import { LongshoreError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import { lineEndOf, type Wanted } from './edit-parts.ts';

/** Adds an entry as the last of its object, in the manner of what stands around it. */
export function putInJson(text: string, { root, name, value }: Wanted): string {
  const lineEnd = lineEndOf(text);
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true, allowEmptyContent: true });
  const path = [...root, name];
  if (tree === undefined) {
    const isOpen = text !== '' && text !== '\uFEFF' && !text.endsWith('\n');
    return `${text}${isOpen ? lineEnd : ''}${printed(nested(path, value), '', '  ', lineEnd)}${lineEnd}`;
  }
  let node = tree;
  let depth = 0;
  for (; depth < path.length; depth += 1) {
    const inner = memberOf(node, path[depth] ?? '');
    if (inner === undefined) break;
    node = inner;
  }
  if (node.type !== 'object') throw noPlace(path[depth - 1] ?? '');
  return inserted(text, node, [path[depth] ?? '', nested(path.slice(depth + 1), value)], lineEnd);
}

/** Removes an entry with its comma and its lines; remarks beside it stay. */
export function takeFromJson(text: string, { root, name }: Wanted): string {
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true });
  const holder = root.reduce<Node | undefined>((node, key) => node && memberOf(node, key), tree);
  const properties = holder?.children ?? [];
  const at = properties.findLastIndex(property => property.children?.[0]?.value === name);
  const property = properties[at];
  if (!holder || !property) return text;
  const end = property.offset + property.length;
  const close = holder.offset + holder.length - 1;
  const comma = trailingComma(text, end, close);
  const rest = withoutLines(text, property.offset, comma === undefined ? end : comma + 1);
  const before = properties[at - 1];
  if (comma !== undefined || !before) return rest;
  // It was the last one, so the comma before it goes too.
  const earlier = trailingComma(text, before.offset + before.length, property.offset);
  return earlier === undefined ? rest : rest.slice(0, earlier) + rest.slice(earlier + 1);
}

/** A text without a part of it, and without the lines that would be empty then. */
function withoutLines(text: string, from: number, to: number): string {
  const start = from - (/[ \t]*$/.exec(text.slice(0, from))?.[0].length ?? 0);
  const [gap = ''] = /^[ \t]*\r?\n/.exec(text.slice(to)) ?? [];
  const isOwnLine = gap !== '' && (start === 0 || text[start - 1] === '\n');
  return text.slice(0, start) + text.slice(isOwnLine ? to + gap.length : to);
}

function noPlace(key: string): LongshoreError {
  return new LongshoreError(
    'bad-config',
    `${key === '' ? 'The file' : key} is no object, so there is no place for an entry; it was left as it is.`,
  );
}

function memberOf(node: Node, key: string): Node | undefined {
  if (node.type !== 'object') return undefined;
  // Of two equal keys the last one counts.
  const found = node.children?.findLast(property => property.children?.[0]?.value === key);
  return found?.children?.[1];
}

function nested(path: readonly string[], value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
}

function inserted(text: string, node: Node, [key, value]: readonly [string, JsonValue], lineEnd: string): string {
  const start = node.offset + 1;
  const end = node.offset + node.length - 1;
  const base = indentAt(text, node.offset);
  const last = node.children?.at(-1);
  const isOneLine = !/\n/.test(text.slice(start, end));
  const firstKey = node.children?.[0]?.offset;
  const own = firstKey === undefined || isOneLine ? undefined : indentAt(text, firstKey);
  const step = own?.startsWith(base) && own !== base ? own.slice(base.length) : stepOf(text);
  const indent = own ?? base + step;
  const property = (isFlat: boolean) =>
    `${JSON.stringify(key)}: ${isFlat ? JSON.stringify(value) : printed(value, indent, step, lineEnd)}`;
  if (last === undefined) {
    const tail = isOneLine ? lineEnd + base : '';
    return `${text.slice(0, start)}${lineEnd}${indent}${property(false)}${tail}${text.slice(start)}`;
  }
  const lastEnd = last.offset + last.length;
  const comma = trailingComma(text, lastEnd, end);
  if (isOneLine) {
    if (comma !== undefined) return `${text.slice(0, comma + 1)} ${property(true)},${text.slice(comma + 1)}`;
    return `${text.slice(0, lastEnd)}, ${property(true)}${text.slice(lastEnd)}`;
  }
  const from = comma === undefined ? lastEnd : comma + 1;
  const at = endOfRemark(text, from, end);
  const between = comma === undefined ? `,${text.slice(lastEnd, at)}` : text.slice(lastEnd, at);
  const closing = text.slice(at, end).includes('\n') ? '' : lineEnd + base;
  return `${text.slice(0, lastEnd)}${between}${lineEnd}${indent}${property(false)}${comma === undefined ? '' : ','}${closing}${text.slice(at)}`;
}

/** Where a remark on the same line ends, so that it stays with what it is about. */
function endOfRemark(text: string, from: number, end: number): number {
  const [remark = ''] = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)/.exec(text.slice(from, end)) ?? [];
  return from + remark.trimEnd().length;
}

function trailingComma(text: string, from: number, end: number): number | undefined {
  const between = text.slice(from, end);
  const [before] = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(between) ?? [''];
  return between.charAt(before.length) === ',' ? from + before.length : undefined;
}

/** What the line of a place begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^\uFEFF?([ \t]*)/.exec(line)?.[1] ?? '';
}

/** One step of indentation, by the first line that has any. */
function stepOf(text: string): string {
  return /\n([ \t]+)["}\]]/.exec(text)?.[1] ?? '  ';
}

function printed(value: JsonValue, indent: string, step: string, lineEnd: string): string {
  return JSON.stringify(value, null, step).replaceAll('\n', lineEnd + indent);
}
