import type { JsonObject } from './json.ts';

/** Longer ones are none that anybody wrote; they match nothing. */
const longestUri = 16_384;
const longestTemplate = 2_048;
/** For all templates that one URI is held against: a tenth of a second or two. */
const mostSteps = 6_000_000;

/** What may stand at one place of a URI, from the reachable positions before it to those behind it. */
type Part = (uri: string, from: Reach, to: Reach) => void;

/** Position by position, whether it can be reached. */
type Reach = Uint8Array;

const expression = /\{([+#./;?&]?)([^{}]*)\}/g;
const variable = /^((?:[A-Za-z0-9_.-]|%[0-9A-Fa-f]{2})+)(\*|:[1-9]\d{0,3})?$/;

/**
 * Whether a URI can be an expansion of a URI template (RFC 6570, all levels). A variable takes what no delimiter of its
 * place ends, also where it should have been percent-encoded: `{name}` never reaches over `/`, `?` or `#`, `{+path}`
 * reaches over everything. What is no template stands for itself. Never throws; takes a bounded number of steps.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  return (
    fittingTemplates(
      [template],
      text => text,
      () => uri,
    ).length > 0
  );
}

/**
 * Those of them that a URI fits, in their order. The cheapest are tried first, and those for which no steps are left fit
 * nothing: however many templates a server has, and of what size, a read is not held up.
 */
export function fittingTemplates<Each>(
  all: readonly Each[],
  textOf: (one: Each) => string,
  uriFor: (one: Each) => string,
): Each[] {
  const compiled = all.flatMap((one, index) => {
    const text = textOf(one);
    if (text.length > longestTemplate) return [];
    const uri = uriFor(one);
    const brace = text.indexOf('{');
    const isPossible = uri.length <= longestUri && uri.startsWith(brace < 0 ? text : text.slice(0, brace));
    return isPossible ? [{ one, index, uri, parts: partsOf(text), size: text.length }] : [];
  });
  const fitting: { readonly one: Each; readonly index: number }[] = [];
  let steps = 0;
  for (const { one, index, uri, parts, size } of compiled.toSorted((a, b) => a.size - b.size)) {
    steps += parts.length * (uri.length + 1) + size;
    if (steps > mostSteps) break;
    if (fits(parts, uri)) fitting.push({ one, index });
  }
  return fitting.sort((a, b) => a.index - b.index).map(({ one }) => one);
}

function fits(parts: readonly Part[], uri: string): boolean {
  let reach: Reach = new Uint8Array(uri.length + 1);
  reach[0] = 1;
  for (const part of parts) {
    const next: Reach = new Uint8Array(uri.length + 1);
    part(uri, reach, next);
    if (!next.includes(1)) return false;
    reach = next;
  }
  return reach[uri.length] === 1;
}

/** The template with values in it as far as they are texts, each as it is: what a server may make of them. */
export function expandTemplate(template: string, values: JsonObject): string {
  return template.slice(0, longestTemplate).replaceAll(expression, (_, operator: string, inner: string) => {
    const texts = inner.split(',').flatMap(name => {
      const value = values[name.replace(/(?:\*|:\d+)$/, '')];
      return typeof value === 'string' ? [value.slice(0, longestUri)] : [];
    });
    const joined = texts.join(operator === '/' || operator === '.' ? operator : ',');
    return texts.length === 0 || operator === '' || operator === '+' ? joined : operator + joined;
  });
}

function partsOf(template: string): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of template.matchAll(expression)) {
    const [whole, operator = '', inner = ''] = match;
    const variables = inner.split(',').map(text => variable.exec(text));
    const known = variables.flatMap(found => (found?.[1] === undefined ? [] : [nameOf(found[1], found[2])]));
    if (known.length < variables.length) continue;
    if (match.index > at) parts.push(literal(template.slice(at, match.index)));
    parts.push(...partsFor(operator, known));
    at = match.index + whole.length;
  }
  return [...parts, literal(template.slice(at))];
}

interface Variable {
  readonly name: string;
  readonly exploded: boolean;
}

function nameOf(name: string, modifier: string | undefined): Variable {
  return { name, exploded: modifier === '*' };
}

function partsFor(operator: string, variables: readonly Variable[]): readonly Part[] {
  const each = (make: (one: Variable) => Part): readonly Part[] => variables.map(make);
  if (operator === '+') return [run('')];
  if (operator === '#') return [optional('#', '')];
  if (operator === '.') return [optional('.', '/?#')];
  if (operator === '/') return each(({ exploded }) => optional('/', exploded ? '?#' : '/?#'));
  if (operator === ';') return each(one => parameters(';', ';', [one], ';/?#'));
  if (operator === '?' || operator === '&') return [parameters(operator, '&', variables, '&#')];
  return [run('/?#')];
}

function literal(text: string): Part {
  return (uri, from, to) => {
    for (let at = from.indexOf(1); at >= 0; at = from.indexOf(1, at + 1)) {
      const found = uri.indexOf(text, at);
      if (found < 0) return;
      if (from[found] === 1) to[found + text.length] = 1;
      at = found;
    }
  };
}

/** Any characters but those, also none. */
function run(stops: string): Part {
  return (uri, from, to) => {
    let running = false;
    from.forEach((reached, at) => {
      running = reached === 1 || (running && !stops.includes(uri.charAt(at - 1)));
      if (running) to[at] = 1;
    });
  };
}

/** Nothing, or the mark and a run. */
function optional(mark: string, stops: string): Part {
  return (uri, from, to) => {
    const behind: Reach = new Uint8Array(from.length);
    literal(mark)(uri, from, behind);
    run(stops)(uri, behind, to);
    from.forEach((reached, at) => {
      if (reached === 1) to[at] = 1;
    });
  };
}

/** From each position, where the next of those characters stands, or the end. */
function runEnds(uri: string, stops: string): Uint16Array {
  const ends = new Uint16Array(uri.length + 2).fill(uri.length);
  for (let at = uri.length - 1; at >= 0; at -= 1) {
    ends[at] = stops.includes(uri.charAt(at)) ? at : (ends[at + 1] ?? uri.length);
  }
  return ends;
}

/** Nothing, or `first` and one or more of `name`, `name=value` with `between` between them, in any order. */
function parameters(first: string, between: string, variables: readonly Variable[], stops: string): Part {
  const isOpen = variables.some(({ exploded }) => exploded);
  const names = new Set(variables.map(({ name }) => name));
  const longestName = Math.max(...variables.map(({ name }) => name.length));
  return (uri, from, to) => {
    const nameEnds = runEnds(uri, `=${stops}`);
    /** Behind a name: what may follow is a value, or the next parameter. */
    const named: Reach = new Uint8Array(from.length);
    const ended: Reach = new Uint8Array(from.length);
    let inValue = false;
    from.forEach((reached, at) => {
      inValue = (inValue && !stops.includes(uri.charAt(at - 1))) || (named[at - 1] === 1 && uri.charAt(at - 1) === '=');
      if (inValue || named[at] === 1) ended[at] = 1;
      if (reached === 1 || ended[at] === 1) to[at] = 1;
      const begins = (reached === 1 && uri.startsWith(first, at)) || (ended[at] === 1 && uri.startsWith(between, at));
      if (!begins) return;
      const end = nameEnds[at + 1] ?? at + 1;
      const length = end - at - 1;
      if (length > 0 && (isOpen || (length <= longestName && names.has(uri.slice(at + 1, end))))) named[end] = 1;
    });
  };
}
