import { isMap, isScalar, isSeq, parseDocument, stringify, type YAMLMap, type YAMLSeq } from 'yaml';
import { LongshoreError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import { lineEndOf, type Wanted } from './edit-parts.ts';

/** Adds an entry as the last of its map or list, in lines of its own. A list takes `value`, which has its name in it. */
export function putInYaml(text: string, { root, name, value }: Wanted): string {
  const lineEnd = lineEndOf(text);
  const [key = ''] = root;
  const node = holderOf(text, key);
  const isList = hasName(value, name);
  const entry = isList ? [value] : { [name]: value };
  const lines = (indent: string, what: object) =>
    stringify(what, { lineWidth: 0 })
      .trimEnd()
      .split('\n')
      .map(line => indent + line + lineEnd)
      .join('');
  if (node === undefined) return `${closed(text, lineEnd)}${lines('', { [key]: entry })}`;
  const { range, value: holder } = node;
  if (holder === undefined) {
    const at = endOfLine(text, range);
    return `${closed(text.slice(0, at), lineEnd)}${lines('  ', entry)}${text.slice(at)}`;
  }
  if (holder.flow === true) {
    const inside = JSON.stringify(entry).slice(1, -1);
    const end = (holder.range?.[1] ?? 0) - 1;
    const start = text.slice(0, end).trimEnd();
    const comma = /[[{,]$/.test(start) ? '' : ',';
    return `${start}${comma} ${inside} ${text.slice(end)}`;
  }
  const first = holder.items[0];
  const firstStart = isMap(holder) ? keyStart(holder) : dashBefore(text, startOf(first));
  const at = lastLineEnd(text, holder);
  return `${closed(text.slice(0, at), lineEnd)}${lines(indentAt(text, firstStart), entry)}${text.slice(at)}`;
}

/** Removes an entry with all of its lines. */
export function takeFromYaml(text: string, { root: [key = ''], name }: Wanted): string {
  const holder = holderOf(text, key)?.value;
  if (holder === undefined || holder.flow === true) throw cannot();
  const [from, to] = isMap(holder) ? pairRange(text, holder, name) : itemRange(text, holder, name);
  const start = text.lastIndexOf('\n', from - 1) + 1;
  return text.slice(0, start) + text.slice(endOfLine(text, to));
}

function pairRange(text: string, map: YAMLMap, name: string): readonly [number, number] {
  const pair = map.items.find(item => isScalar(item.key) && item.key.value === name);
  if (!pair || !isScalar(pair.key)) throw cannot();
  const from = pair.key.range?.[0] ?? 0;
  return [from, contentEnd(text, from, endOf(pair.value) ?? from)];
}

function itemRange(text: string, list: YAMLSeq, name: string): readonly [number, number] {
  const item = list.items.find(one => isMap(one) && one.get('name') === name);
  const start = startOf(item);
  const end = endOf(item);
  if (start === undefined || end === undefined) throw cannot();
  const from = dashBefore(text, start);
  return [from, contentEnd(text, from, end)];
}

function cannot(): LongshoreError {
  return new LongshoreError(
    'bad-config',
    'The entry is written in a way that cannot be removed safely; the file was left as it is. Remove it by hand.',
  );
}

interface Holder {
  /** Where the value, or the key of an empty one, ends. */
  readonly range: number;
  /** Undefined for a key without a value. */
  readonly value: YAMLMap | YAMLSeq | undefined;
}

/** What a file has under a key at its top; undefined where it has no such key. Throws `bad-config` where it is something else. */
function holderOf(text: string, key: string): Holder | undefined {
  const { contents } = parseDocument(text, { uniqueKeys: false });
  if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
  if (!isMap(contents) || contents.flow === true) throw cannot();
  const pair = contents.items.find(item => isScalar(item.key) && item.key.value === key);
  if (!pair || !isScalar(pair.key)) return undefined;
  const { value } = pair;
  if (isMap(value) || isSeq(value)) {
    // `{}` and `[]` are what some programs write for nothing.
    return { range: value.range?.[1] ?? 0, value };
  }
  if (value === null || (isScalar(value) && value.value === null))
    return { range: pair.key.range?.[1] ?? 0, value: undefined };
  throw cannot();
}

function hasName(value: JsonValue, name: string): boolean {
  return typeof value === 'object' && value !== null && 'name' in value && value['name'] === name && !('cmd' in value);
}

function keyStart({ items: [first] }: YAMLMap): number {
  return isScalar(first?.key) ? (first.key.range?.[0] ?? 0) : 0;
}

function rangeOf(node: unknown): readonly number[] | undefined {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) ? range : undefined;
}

const startOf = (node: unknown): number | undefined => rangeOf(node)?.[0];
const endOf = (node: unknown): number | undefined => rangeOf(node)?.[1];

function dashBefore(text: string, start = 0): number {
  return Math.max(0, text.lastIndexOf('-', start));
}

/** The end of the last line that belongs to a block: remarks and empty lines behind it do not. */
function lastLineEnd(text: string, holder: YAMLMap | YAMLSeq): number {
  const start = holder.range?.[0] ?? 0;
  return endOfLine(text, contentEnd(text, start, holder.range?.[1] ?? start));
}

function contentEnd(text: string, from: number, to: number): number {
  return from + text.slice(from, to).trimEnd().length;
}

/** Behind the line that a place is in. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

function indentAt(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).replaceAll(/[^ \t]/g, '');
}

/** A text that ends with a line end, or is empty. */
function closed(text: string, lineEnd: string): string {
  return text === '' || text === '\uFEFF' || text.endsWith('\n') ? text : text + lineEnd;
}
