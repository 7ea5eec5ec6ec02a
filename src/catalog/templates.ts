/** Values of an entry's settings, by their dotted keys. */
export type TemplateValues = Readonly<Record<string, string>>;

/**
 * Fills the templates of a catalog, `{{weather.region|or:eu}}`, as the Docker MCP Gateway does: what has no value is empty.
 * A list (a text of several lines or with commas, under `into`) makes several texts of one.
 */
export function filled(template: string, values: TemplateValues): readonly string[] {
  let texts: readonly string[] = [''];
  let at = 0;
  for (const found of template.matchAll(/\{\{([^{}]*)\}\}/g)) {
    const before = template.slice(at, found.index);
    at = found.index + found[0].length;
    const given = valueOf(found[1] ?? '', values);
    texts = texts.flatMap(text => given.map(value => `${text}${before}${value}`));
  }
  return texts.map(text => `${text}${template.slice(at)}`);
}

/** The keys that a template asks for. */
export function keysIn(template: string): readonly string[] {
  return [...template.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, inner = '']) => (inner.split('|')[0] ?? '').trim());
}

function valueOf(inner: string, values: TemplateValues): readonly string[] {
  const [key = '', ...filters] = inner.split('|').map(part => part.trim());
  const value = Object.hasOwn(values, key) ? (values[key] ?? '') : '';
  return filters.reduce<readonly string[]>((list, filter) => applied(filter, list), [value]);
}

function applied(filter: string, list: readonly string[]): readonly string[] {
  const [name = '', ...rest] = filter.split(':');
  const argument = rest.join(':');
  switch (name) {
    case 'or':
      return list.some(text => text !== '') ? list : itemsOf(argument.replaceAll(/^\[|\]$/g, ''));
    case 'into':
      return list.flatMap(itemsOf);
    case 'first':
      return list.flatMap(text => itemsOf(text).slice(0, 1));
    case 'last':
      return list.flatMap(text => itemsOf(text).slice(-1));
    case 'volume':
      return list.flatMap(itemsOf).map(path => `${path}:${targetOf(path)}`);
    case 'volume-target':
      return list.flatMap(itemsOf).map(targetOf);
    case 'mount_as':
      return list.flatMap(itemsOf).map(path => `${path}:${argument}`);
    default:
      return list;
  }
}

function itemsOf(text: string): readonly string[] {
  return text
    .split(/[\n,]/)
    .map(item => item.trim())
    .filter(item => item !== '');
}

/** A folder stands in the container where it stands outside; a drive of Windows is a folder there. */
function targetOf(path: string): string {
  const drive = /^([A-Za-z]):[\\/](.*)$/.exec(path);
  return drive ? `/${drive[1]}/${(drive[2] ?? '').replaceAll('\\', '/')}` : path;
}
