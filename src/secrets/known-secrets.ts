import { mask } from './secret-shapes.ts';

/** A value that is secret because its owner said so, and what it is called there: `GITHUB_TOKEN`, `Authorization`. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** Values that are secret because their owner said so (environment, headers, `${secret:…}`). */
export interface KnownSecrets {
  /** From now on masked wherever they appear; remembered until the service stops, for a server's output outlives it. */
  learn(secrets: Iterable<KnownSecret>): void;
  mask(text: string): string;
  /** The same, with `[secret NAME]` in its place: for the person who has to decide. */
  maskByName(text: string): string;
  /** The length of the longest form of any of them, in characters. */
  readonly longest: number;
}

/** Shorter values are masked only where they stand alone: they would blacken half of every text. */
const shortest = 6;

/** No secrets known yet. */
export function knownSecrets(): KnownSecrets {
  const names = new Map<string, string>();
  let forms: readonly (readonly [form: string, name: string])[] = [];
  let words: readonly (readonly [word: RegExp, name: string])[] = [];

  function masked(text: string, put: (name: string) => string): string {
    let rest = text;
    for (const [form, name] of forms) if (rest.includes(form)) rest = rest.replaceAll(form, () => put(name));
    for (const [word, name] of words) rest = rest.replaceAll(word, () => put(name));
    return rest;
  }

  return {
    learn(secrets) {
      const before = names.size;
      for (const { name, value } of secrets) {
        if (value.trim().length >= 3 && !names.has(value)) names.set(value, name);
      }
      if (names.size === before) return;
      const known = [...names];
      const long = known.filter(([value]) => value.length >= shortest);
      const byForm = new Map(long.flatMap(([value, name]) => formsOf(value).map(form => [form, name] as const)));
      forms = [...byForm].sort(([a], [b]) => b.length - a.length);
      words = known
        .filter(([value]) => value.length < shortest)
        .map(([value, name]) => [new RegExp(`(?<![A-Za-z0-9])${escaped(value)}(?![A-Za-z0-9])`, 'g'), name] as const);
    },
    get longest() {
      return forms[0]?.[0].length ?? 0;
    },
    mask: text => masked(text, () => mask),
    maskByName: text => masked(text, name => `[secret ${name}]`),
  };
}

/** As it is, inside JSON, in a URL, in hex, and in base64 wherever in the encoded text it begins. */
function formsOf(value: string): string[] {
  const url = encodeURIComponent(value.toWellFormed());
  const hex = Buffer.from(value, 'utf8').toString('hex');
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, escape => escape.toLowerCase()),
    url.replaceAll('%20', '+'),
    hex,
    hex.toUpperCase(),
    ...base64Forms(value),
  ];
  return forms.filter(form => form.length >= shortest);
}

/** The characters of the encoded text that the value alone decides, for each of the three places it can begin at. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  return [0, 1, 2].flatMap(before => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const inner = encoded.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
