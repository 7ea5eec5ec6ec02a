import { LongshoreError } from '../../core/errors.ts';
import { version } from '../../core/version.ts';
import { mask } from '../../secrets/secret-shapes.ts';

/** A user's own headers as they go on the wire, and the way to keep their values out of texts. */
export interface ServerHeaders {
  /** Lower-case names; never one that the transport owns. */
  readonly sent: Readonly<Record<string, string>>;
  /** Replaces every header value (and the token after `Bearer `) that occurs in a text by `[masked]`. */
  readonly hide: (text: string) => string;
}

/** Names that describe a message or its session: the transport alone may say them, or servers would see contradictions. */
const transportOwned =
  /^(?:mcp-.*|accept|connection|content-length|content-type|expect|keep-alive|last-event-id|transfer-encoding|upgrade)$/;

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** Shorter values (`1`, `de`) are no secrets, and hiding them would tear holes into every text. */
const shortestSecret = 4;

function asLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/**
 * Takes a server's configured headers. White space around a value is dropped (a secret read from a file ends in a
 * newline). Throws `bad-config`, naming the header and never its value, for what HTTP cannot carry.
 */
export function serverHeaders(configured: Readonly<Record<string, string>>): ServerHeaders {
  const sent: Record<string, string> = { 'user-agent': `longshore/${version}` };
  const secrets = new Set<string>();
  for (const [written, raw] of Object.entries(configured)) {
    const name = written.trim().toLowerCase();
    const value = raw.trim();
    if (!token.test(name)) {
      throw new LongshoreError('bad-config', `${JSON.stringify(written)} is not the name of an HTTP header.`);
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new LongshoreError(
        'bad-config',
        `The value of the header ${written} has a character that HTTP does not allow in headers; write it without line breaks, control and non-Latin characters.`,
      );
    }
    if (transportOwned.test(name)) continue;
    sent[name] = value;
    for (const part of [value, ...value.split(/\s+/).slice(1)]) if (part.length >= shortestSecret) secrets.add(part);
  }
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  const pattern = longestFirst.length === 0 ? undefined : new RegExp(longestFirst.map(asLiteral).join('|'), 'gi');
  return { sent, hide: text => (pattern === undefined ? text : text.replace(pattern, mask)) };
}
