import type { Literal } from './argument-condition.ts';
import { canonicalHost, looksLikeHost } from './canonical-host.ts';
import { isAbsolute, isSettled, mayLeadAnywhere, type Place, readPlace } from './place-readings.ts';
import { asTruth, type Truth } from './truth.ts';

/** How two texts are compared. */
export type TextOperator = '=' | 'startsWith' | 'endsWith' | 'contains';

/** How much more of a call's arguments is read in every way; what is beyond that is unclear. */
export interface Effort {
  left: number;
}

/** For all conditions of one rule about one call: some tenths of a second. */
export function fullEffort(): Effort {
  return { left: 1_500_000 };
}

/** What one text costs besides its characters. */
const perText = 400;

/** Literals are values, made when a rule is read. */
const literalPlaces = new WeakMap<Literal, Place>();

/**
 * Compares exactly, by case too. Where the rule or the value is about a place (a path, a URL, a host), both are also read
 * as a file system, a web client or a server may read them; where a reading disagrees with the plain text, the answer is
 * `unclear`.
 */
export function textHolds(operator: TextOperator, value: string, literal: Literal, effort: Effort): Truth {
  const { text } = literal;
  const plain = textMatches(operator, value, text);
  if (looksLikeHost(text) && hostDisagrees(operator, value, text, plain)) return 'unclear';
  if (!isAboutPlace(value, text)) return asTruth(plain);
  if (!isSettled(value)) {
    effort.left -= perText + value.length;
    if (effort.left < 0) return 'unclear';
  }
  return placesAgree(operator, readPlace(value), placeOf(literal), plain) ? asTruth(plain) : 'unclear';
}

function isAboutPlace(value: string, literal: string): boolean {
  return /[/\\]/.test(literal) || isAbsolute(value) || /^[^\s/\\%]*(?:[/\\]|%[0-9a-f]{2})\S*$/i.test(value);
}

function placeOf(literal: Literal): Place {
  let place = literalPlaces.get(literal);
  if (place === undefined) {
    place = readPlace(literal.text);
    literalPlaces.set(literal, place);
  }
  return place;
}

function textMatches(operator: TextOperator, value: string, literal: string): boolean {
  switch (operator) {
    case '=':
      return value === literal;
    case 'startsWith':
      return value.startsWith(literal);
    case 'endsWith':
      return value.endsWith(literal);
    case 'contains':
      return value.includes(literal);
  }
}

function placesAgree(operator: TextOperator, value: Place, literal: Place, plain: boolean): boolean {
  if (value.isUnclear) return false;
  const isFromTheTop = (operator === '=' || operator === 'startsWith') && isAbsolute(literal.text);
  const scheme = /^[a-z][a-z0-9+.-]+:\/\//i.exec(literal.text)?.[0];
  const seen = new Set<string>();
  for (const [index, reading] of value.readings.entries()) {
    const wanted = literal.readings[index] ?? literal.text;
    const pair = `${reading}\0${wanted}`;
    if (seen.has(pair)) continue;
    seen.add(pair);
    if (placeMatches(operator, reading, wanted, literal.text) !== plain) return false;
    if (placeMatches(operator, folded(reading), folded(wanted), literal.text) !== plain) return false;
    if (isFromTheTop && mayLeadAnywhere(reading)) return false;
  }
  return scheme === undefined || !isFromTheTop || schemelessAgrees(operator, value.text, scheme, literal, plain);
}

/** `//evil.com/` and `evil.com` mean `https://evil.com/` where an address is expected. */
function schemelessAgrees(
  operator: TextOperator,
  value: string,
  scheme: string,
  literal: Place,
  plain: boolean,
): boolean {
  if (/^[a-z][a-z0-9+.-]+:/i.test(value)) return true;
  const { readings } = readPlace(scheme + value.replace(/^[\s/\\]+/, ''));
  return readings.every((reading, index) => {
    const wanted = literal.readings[index] ?? literal.text;
    return placeMatches(operator, reading, wanted, literal.text) === plain;
  });
}

/** Starting with `/srv` means being `/srv` or inside it, so that a neighbour such as `/srv-old` disagrees with the plain text. */
function placeMatches(operator: TextOperator, reading: string, wanted: string, literal: string): boolean {
  switch (operator) {
    case '=':
    case 'endsWith':
      return textMatches(operator, reading, wanted);
    case 'startsWith':
      return isWithin(reading, wanted);
    case 'contains':
      return /[/\\]$/.test(literal) ? `${reading}/`.includes(`${wanted}/`) : reading.includes(wanted);
  }
}

/** A query ends the path of an address as a slash does. */
function isWithin(reading: string, wanted: string): boolean {
  if (!reading.startsWith(wanted)) return false;
  const next = reading[wanted.length];
  if (next === undefined || next === '/' || /[/\\]$/.test(wanted)) return true;
  return (next === '?' || next === '#') && reading.includes('://');
}

/** Hosts by themselves: `EVIL.com.`, `evil。com` and `2130706433` for what the rule calls otherwise. */
function hostDisagrees(operator: TextOperator, value: string, literal: string, plain: boolean): boolean {
  const host = canonicalHost(value.replace(/:\d{1,5}$/, ''));
  if (host === undefined) return false;
  const wanted = (literal.startsWith('.') ? undefined : canonicalHost(literal)) ?? literal.toLowerCase();
  return textMatches(operator, host, wanted) !== plain;
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
