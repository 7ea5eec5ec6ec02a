import { mask } from './secret-shapes.ts';

/** Values that are secret because their owner said so (environment, headers, `${secret:…}`). */
export interface KnownSecrets {
  /** From now on masked wherever they appear; remembered until the service stops, for a server's output outlives it. */
  learn(values: Iterable<string>): void;
  mask(text: string): string;
  /** The length of the longest form of any of them, in characters. */
  readonly longest: number;
}

/** Shorter values are masked only where they stand alone: they would blacken half of every text. */
const shortest = 6;

/** No secrets known yet. */
export function knownSecrets(): KnownSecrets {
  const values = new Set<string>();
  let forms: readonly string[] = [];
  let words: readonly RegExp[] = [];

  return {
    learn(learned) {
      const before = values.size;
      for (const value of learned) if (value.trim().length >= 3) values.add(value);
      if (values.size === before) return;
      const long = [...values].filter(value => value.length >= shortest);
      forms = [...new Set(long.flatMap(formsOf))].sort((a, b) => b.length - a.length);
      words = [...values]
        .filter(value => value.length < shortest)
        .map(value => new RegExp(`(?<![A-Za-z0-9])${escaped(value)}(?![A-Za-z0-9])`, 'g'));
    },
    get longest() {
      return forms[0]?.length ?? 0;
    },
    mask(text) {
      let masked = text;
      for (const form of forms) if (masked.includes(form)) masked = masked.replaceAll(form, mask);
      for (const word of words) masked = masked.replaceAll(word, mask);
      return masked;
    },
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
