/** Longer ones are no URIs that anybody wrote; they match nothing. */
const longest = 16_384;

/** What may stand at one place of a URI, from the reachable positions before it to those behind it. */
type Part = (uri: string, from: Reach, to: Reach) => void;

/** Position by position, whether it can be reached. */
type Reach = Uint8Array;

const expression = /\{([+#./;?&]?)([^{}]*)\}/g;
const variable = /^((?:[A-Za-z0-9_.-]|%[0-9A-Fa-f]{2})+)(\*|:[1-9]\d{0,3})?$/;

/**
 * Whether a URI can be an expansion of a URI template (RFC 6570, all levels). A variable takes what no delimiter of its
 * place ends, also where it should have been percent-encoded: `{name}` never reaches over `/`, `?` or `#`, `{+path}`
 * reaches over everything. What is no template stands for itself. Never throws; linear in both lengths.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  if (uri.length > longest || template.length > longest) return false;
  let reach: Reach = new Uint8Array(uri.length + 1);
  reach[0] = 1;
  for (const part of partsOf(template)) {
    const next: Reach = new Uint8Array(uri.length + 1);
    part(uri, reach, next);
    reach = next;
  }
  return reach[uri.length] === 1;
}

function partsOf(template: string): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of template.matchAll(expression)) {
    const [whole, operator = '', inner = ''] = match;
    const variables = inner.split(',').map(text => variable.exec(text));
    const known = variables.flatMap(found => (found?.[1] === undefined ? [] : [nameOf(found[1], found[2])]));
    if (known.length < variables.length) continue;
    parts.push(literal(template.slice(at, match.index)), ...partsFor(operator, known));
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
    from.forEach((reached, at) => {
      if (reached === 1 && uri.startsWith(text, at)) to[at + text.length] = 1;
    });
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

/** Nothing, or `first` and one or more of `name`, `name=value` with `between` between them, in any order. */
function parameters(first: string, between: string, variables: readonly Variable[], stops: string): Part {
  const isOpen = variables.some(({ exploded }) => exploded);
  const names = new Set(variables.map(({ name }) => name));
  const nameAt = new RegExp(`[^=${stops.replaceAll(/[/?]/g, String.raw`\$&`)}]+`, 'y');
  return (uri, from, to) => {
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
      nameAt.lastIndex = at + 1;
      const name = nameAt.exec(uri)?.[0];
      if (name !== undefined && (isOpen || names.has(name))) named[at + 1 + name.length] = 1;
    });
  };
}
