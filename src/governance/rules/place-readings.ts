import { canonicalHost } from './canonical-host.ts';

/**
 * A text as a file system, a web client or a server of some language may read it: always so many readings, in the same
 * order, so that those of two texts can be held against each other one by one.
 */
export interface Place {
  readonly text: string;
  readonly readings: readonly string[];
  /** True where what it leads to cannot be told from the text: a NUL, bytes that are no text, too many layers. */
  readonly isUnclear: boolean;
}

/** Layers of percent signs that are taken off; what is left then is unclear. */
const layers = 3;
const perLayer = 4;
/** A text of which every reading is the text itself: the common case, and the only one that is cheap. */
const settled = /^\/[\w./-]*$/;
const unsettled = /\/[/.]|[./]$|\.\//;

/** True for a text that is read in one way only. */
export function isSettled(text: string): boolean {
  return settled.test(text) && !unsettled.test(text);
}

/** Reads a text in every way. Never throws; takes time in proportion to its length. */
export function readPlace(text: string): Place {
  if (isSettled(text))
    return { text, readings: Array.from({ length: perLayer * (layers + 1) }, () => text), isUnclear: false };
  const readings: string[] = [];
  let isUnclear = text.includes('\0') || /%c[01]/i.test(text);
  let layer = text;
  for (let round = 0; round <= layers; round += 1) {
    const above = round > 0 && layer === text ? readings.slice(0, perLayer) : readingsOf(layer);
    for (const reading of above) readings.push(reading);
    const below = percentDecoded(layer);
    isUnclear ||= below.includes('\0') || (round === layers && below !== layer);
    layer = below;
  }
  return { text, readings, isUnclear };
}

/** How one layer is read: by Windows, by other file systems, by web clients, and by the libraries of other languages. */
function readingsOf(layer: string): readonly string[] {
  const trimmed = withoutIgnored(layer);
  const path = pathReading(trimmed, windows);
  const isWindows = /^(?:[a-z]:)?\\|^[a-z]:\//i.test(layer);
  const elsewhere = isWindows ? path : pathReading(layer, posix);
  return [path, elsewhere, webReading(trimmed) ?? path, plainUrlReading(trimmed) ?? path];
}

/** True for a path from the top, with or without a drive, and for a URI. */
export function isAbsolute(place: string): boolean {
  return /^(?:[/\\]|[a-z]:(?:[/\\]|$)|[a-z][a-z0-9+.-]+:\/\/)/i.test(place);
}

/** A relative path, or one through a process's own links, leads somewhere that only the server knows. */
export function mayLeadAnywhere(reading: string): boolean {
  if (isAbsolute(reading)) return /^\/(?:proc\/[^/]+\/(?:root|cwd|fd)|dev\/fd)(?:\/|$)/.test(reading);
  return reading.includes('/') || /^[.~]/.test(reading);
}

/** Without what web clients drop: tabs and line ends anywhere, other controls and spaces at both ends. */
function withoutIgnored(text: string): string {
  const inner = text.replaceAll(/[\t\n\r]/g, '');
  let [from, to] = [0, inner.length];
  while (from < to && inner.charCodeAt(from) <= 0x20) from += 1;
  while (to > from && inner.charCodeAt(to - 1) <= 0x20) to -= 1;
  return inner.slice(from, to);
}

/** How a file system takes a path apart. */
interface FileSystem {
  readonly separator: RegExp;
  /** What a name is stored as. */
  readonly stored: (name: string) => string;
}

const posix: FileSystem = { separator: /\//, stored: name => name };
/** Either slash; dots and spaces behind a name are dropped, and `name::$DATA` is `name`. */
const windows: FileSystem = { separator: /[\\/]/, stored: withoutTail };

/** As a file system reads it; of a web address its query stays as it is. */
function pathReading(text: string, system: FileSystem): string {
  const bare = system === windows ? text.replace(/^[\\/]{2}[?.][\\/]/, '') : text;
  const forward = bare.replace(/^file:(?:\/\/[^/\\]*)?(?=[/\\])/i, '');
  const origin = /^[a-z][a-z0-9+.-]+:[\\/]{2}[^/\\?#]*/i.exec(forward)?.[0] ?? '';
  const query = /^(?:https?|wss?|ftp):/i.test(origin) ? forward.slice(origin.length).search(/[?#]/) : -1;
  const end = query < 0 ? forward.length : origin.length + query;
  const path = straightened(forward.slice(origin.length, end), system, origin !== '');
  return origin.replaceAll('\\', '/') + beforeQuery(path, forward.slice(end)) + forward.slice(end);
}

/** Slashes single, `.` and `..` resolved, none at the end; `..` above the top of a relative path stays. */
function straightened(path: string, { separator, stored }: FileSystem, isBelowOrigin: boolean): string {
  const written = path.split(separator);
  const rooted = written.length > 1 && written[0] === '';
  const parts: string[] = [];
  for (const name of written) {
    const part = name === '..' ? name : stored(name);
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!rooted) parts.push('..');
  }
  return `${rooted && (parts.length > 0 || !isBelowOrigin) ? '/' : ''}${parts.join('/')}`;
}

/** An address without a path has `/`. */
function beforeQuery(path: string, query: string): string {
  return path === '' && query !== '' ? '/' : path;
}

function withoutTail(name: string): string {
  const plain = /::?\$[a-z_]+$/i.test(name) ? name.slice(0, name.indexOf(':')) : name;
  let end = plain.length;
  while (end > 0 && (plain[end - 1] === '.' || plain[end - 1] === ' ')) end -= 1;
  return plain.slice(0, end);
}

/** As WHATWG's URL reads it, without who signs in; undefined for what is no URL to it. */
function webReading(text: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null) return undefined;
  const path = straightened(percentDecoded(url.pathname), windows, url.host !== '');
  if (url.protocol === 'file:') return path;
  if (url.host === '') return `${url.protocol}${path}${url.search}${url.hash}`;
  const host = canonicalHost(url.hostname) ?? url.hostname.toLowerCase();
  const port = url.port === '' ? '' : `:${url.port}`;
  const query = url.search + url.hash;
  return `${url.protocol}//${host}${port}${beforeQuery(path, query)}${query}`;
}

const usualPorts: ReadonlyMap<string, string> = new Map([
  ['http', '80'],
  ['https', '443'],
  ['ws', '80'],
  ['wss', '443'],
  ['ftp', '21'],
]);

/** As RFC 3986 has it, and with it the libraries of Python and Go: a backslash ends no host; undefined without a host. */
function plainUrlReading(text: string): string | undefined {
  const found = /^\s*([a-z][a-z0-9+.-]+):\/\/([^/?#]*)([^?#]*)([\s\S]*)$/i.exec(text);
  if (found === null) return undefined;
  const [, scheme = '', authority = '', path = '', rest = ''] = found;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const [, written = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?/.exec(host) ?? [];
  const name = scheme.toLowerCase();
  if (name === 'file') return undefined;
  const canonical = canonicalHost(written) ?? written.toLowerCase();
  const below = straightened(percentDecoded(path), posix, true);
  const isUsual = port === '' || usualPorts.get(name) === String(Number(port));
  return `${name}://${canonical}${isUsual ? '' : `:${Number(port)}`}${beforeQuery(below, rest)}${rest}`;
}

/** One layer of percent signs taken off, as UTF-8; bytes that are none are taken for Latin-1. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, run => {
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
    const decoded = bytes.toString('utf8');
    return decoded.includes('\uFFFD') ? bytes.toString('latin1') : decoded;
  });
}
