import { agreed, asTruth, type Truth } from './truth.ts';

/** How two texts are compared. */
export type TextOperator = '=' | 'startsWith' | 'endsWith' | 'contains';

/**
 * Compares exactly, by case too. Where the rule or the value is about a place (a path, a URL), the value is also read as
 * a file system or a web client may read it; where a reading disagrees with the plain text, the answer is `unclear`.
 */
export function textHolds(operator: TextOperator, value: string, literal: string): Truth {
  const plain = asTruth(textMatches(operator, value, literal));
  const aboutPlace = /[/\\]/.test(literal) || isAbsolute(value) || /^[^\s/\\]*[/\\]\S*$/.test(value);
  return aboutPlace ? agreed([plain, ...placeTruths(operator, value, literal)]) : plain;
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

function placeTruths(operator: TextOperator, value: string, literal: string): Truth[] {
  const readings = placeReadings(value);
  const truths: Truth[] = [];
  for (const reading of readings) {
    const exact = placeMatches(operator, reading, literal);
    truths.push(asTruth(exact));
    if (placeMatches(operator, folded(reading), folded(literal)) !== exact) truths.push('unclear');
    if (reading.includes('\0')) truths.push('unclear');
  }
  const fromTheTop = operator === '=' || operator === 'startsWith';
  if (fromTheTop && isAbsolute(literal) && readings.some(mayLeadAnywhere)) truths.push('unclear');
  return truths;
}

/** Starting with `/srv` means being `/srv` or inside it, so that a neighbour such as `/srv-old` disagrees with the plain text. */
function placeMatches(operator: TextOperator, reading: string, literal: string): boolean {
  const wanted = straightened(literal);
  switch (operator) {
    case '=':
    case 'endsWith':
      return textMatches(operator, reading, wanted);
    case 'startsWith':
      return reading === wanted || reading.startsWith(wanted.endsWith('/') ? wanted : `${wanted}/`);
    case 'contains':
      return /[/\\]$/.test(literal) ? `${reading}/`.includes(`${wanted}/`) : reading.includes(wanted);
  }
}

/** What the value may mean: as it is; without `file:`; percent signs decoded, once and twice; without the characters that web clients drop. */
function placeReadings(value: string): string[] {
  const readings = new Set<string>();
  let text = value.replaceAll(/[\t\n\r]/g, '');
  for (let round = 0; round < 3; round += 1) {
    readings.add(straightened(text.replace(/^file:(?:\/\/[^/\\]*)?(?=[/\\])/i, '')));
    text = text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return [...readings];
}

/** Slashes forward and single, `.` and `..` resolved, none at the end; `..` above the top of a relative path stays. */
function straightened(place: string): string {
  const forward = place.replaceAll('\\', '/');
  const origin = /^[a-z][a-z0-9+.-]+:\/\/[^/]*/i.exec(forward)?.[0] ?? '';
  const path = forward.slice(origin.length);
  const rooted = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!rooted) parts.push('..');
  }
  const joined = `${rooted && (parts.length > 0 || origin === '') ? '/' : ''}${parts.join('/')}`;
  return origin + joined;
}

function isAbsolute(place: string): boolean {
  return /^(?:[/\\]|[a-z]:(?:[/\\]|$)|[a-z][a-z0-9+.-]+:\/\/)/i.test(place);
}

/** A relative path leads somewhere that only the server knows. */
function mayLeadAnywhere(reading: string): boolean {
  return !isAbsolute(reading) && (reading.includes('/') || /^[.~]/.test(reading));
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
