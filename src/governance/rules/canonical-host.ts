/** Longer ones are no names of hosts. */
const longest = 1_000;
const loopback = 'localhost';

/**
 * A host in the one form in which equal hosts are equal: lower case, IDNA, numbers as four numbers, no dot at its end, and
 * every name of this machine itself as `localhost`. Undefined for what no web client takes for a host.
 */
export function canonicalHost(text: string): string | undefined {
  if (text === '' || text.length > longest || /[\s/\\?#@]/.test(text)) return undefined;
  const host = URL.parse(`http://${text}/`)?.hostname.replace(/\.+$/, '');
  if (host === undefined || host === '') return undefined;
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  return withoutLoopback(mapped === null ? host : dotted(mapped[1] ?? '', mapped[2] ?? ''));
}

/** Whether a text reads as a host's name with a dot in it, or a part of one; or as this machine. */
export function looksLikeHost(text: string): boolean {
  return text.length <= longest && (/^\.?[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+\.?$/u.test(text) || text === loopback);
}

function withoutLoopback(host: string): string {
  const isSelf = /^127(?:\.\d+){3}$|^0\.0\.0\.0$|^\[::1?\]$|(?:^|\.)localhost$/.test(host);
  return isSelf ? loopback : host;
}

function dotted(high: string, low: string): string {
  const [left, right] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [left >> 8, left & 255, right >> 8, right & 255].join('.');
}
