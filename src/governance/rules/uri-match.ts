import type { Handle } from '../../core/words.ts';
import { type Glob, glob, globMatches } from './glob.ts';
import { isAbsolute, mayLeadAnywhere, type Place, readPlace } from './place-readings.ts';
import { asTruth, type Truth } from './truth.ts';

/** Both are values; a URI is held against every rule, and a rule against every URI. */
const uriPlaces = new WeakMap<Handle, Place>();
const globReadings = new WeakMap<Glob, readonly Glob[]>();

/** Longer ones are no URIs that anybody wrote. */
const longest = 65_536;

/** Whether the URI of a resource or template is one of those that a pattern names, in every reading of both. */
export function uriMatches(pattern: Glob, handle: Handle): Truth {
  const { wireName } = handle;
  const plain = globMatches(pattern, wireName);
  if (pattern.text === '*') return 'yes';
  if (wireName.length > longest) return 'unclear';
  const place = uriPlace(handle);
  if (place.isUnclear) return 'unclear';
  const wanted = readingsOf(pattern);
  const agree = place.readings.every((reading, index) => {
    const one = wanted[index] ?? pattern;
    if (isAbsolute(one.text) && isAbsolute(reading) && mayLeadAnywhere(reading)) return false;
    return readingMatches(one, reading) === plain && readingMatches(folded(one), folded(reading)) === plain;
  });
  return agree ? asTruth(plain) : 'unclear';
}

/** The readings of a resource's URI, made once. */
export function uriPlace(handle: Handle): Place {
  let place = uriPlaces.get(handle);
  if (place === undefined) {
    place = readPlace(handle.wireName);
    uriPlaces.set(handle, place);
  }
  return place;
}

/** What is in a folder includes the folder, as readings have no slash at their end. */
function readingMatches(pattern: Glob, reading: string): boolean {
  return globMatches(pattern, reading) || globMatches(pattern, `${reading}/`);
}

function readingsOf(pattern: Glob): readonly Glob[] {
  let readings = globReadings.get(pattern);
  if (readings === undefined) {
    readings = readPlace(pattern.text).readings.map(glob);
    globReadings.set(pattern, readings);
  }
  return readings;
}

function folded<Text extends string | Glob>(text: Text): Text {
  if (typeof text === 'string') return fold(text) as Text;
  return glob(fold((text as Glob).text)) as Text;
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
