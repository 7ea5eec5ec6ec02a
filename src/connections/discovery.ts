import { LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { linkedResource } from '../core/linked-resource.ts';
import type { Definition, Diagnostic, Era, HandleKind } from '../core/words.ts';
import { cut } from '../lib/cut.ts';
import { readDefinition } from '../schema/definition/read-definition.ts';
import { strictDefinition } from '../schema/definition/strict-definition.ts';
import type { ListName } from './capabilities.ts';
import type { Discovery } from './connection.ts';
import { failureOf } from './failures.ts';
import type { Method, Outcome } from './request.ts';
import { headerFault } from './x-mcp-header.ts';

/** R48: more than this is no list but a fault. */
const maxPages = 1000;
const maxItems = 10_000;
/** Characters of JSON of all of a server's lists together: more than any sensible server has, less than what hurts the host. */
const maxCharacters = 32 * 1024 * 1024;

/** What discovery needs of a connection. */
export interface DiscoverySource {
  /** The lists that the server has; others are not asked for. */
  readonly lists: readonly ListName[];
  readonly era: Era;
  /** True on 2026-07-28 over HTTP, where arguments become headers. */
  readonly mirrorsHeaders: boolean;
  /** Asks for one page. */
  ask(method: ListMethod, params: JsonObject): Promise<Outcome>;
  explain(error: unknown): LongshoreError;
}

/** How each list is asked for and read; `identity` tells one of its definitions from another. */
const lists = {
  tools: { of: 'tools', method: 'tools/list', items: 'tools', noun: 'tool', identity: 'name' },
  resources: { of: 'resources', method: 'resources/list', items: 'resources', noun: 'resource', identity: 'uri' },
  templates: {
    of: 'resources',
    method: 'resources/templates/list',
    items: 'resourceTemplates',
    noun: 'resource template',
    identity: 'uriTemplate',
  },
  prompts: { of: 'prompts', method: 'prompts/list', items: 'prompts', noun: 'prompt', identity: 'name' },
} as const satisfies Record<string, { readonly of: ListName; readonly method: Method } & Record<string, string>>;

type List = keyof typeof lists;
type ListMethod = (typeof lists)[List]['method'];

const kinds = {
  tools: 'tool',
  resources: 'resource',
  templates: 'template',
  prompts: 'prompt',
} as const satisfies Record<List, HandleKind>;

const methodNotFound = -32_601;

/**
 * Reads every list, page by page (R48). Definitions come verbatim, but for what is not of the protocol's form; one that
 * cannot be used at all is set aside; both with a diagnostic. Rejects with `discovery-failed` where the tools cannot be listed; a failure of the others is a diagnostic.
 */
export async function readLists(source: DiscoverySource): Promise<Discovery> {
  const diagnostics: Diagnostic[] = [];
  const room = { characters: maxCharacters };
  const read = async (name: List): Promise<readonly Definition[]> => {
    if (!source.lists.includes(lists[name].of)) return [];
    return wellFormed(name, await readPages(source, name, room), source.mirrorsHeaders, diagnostics);
  };
  const orNothing = async (name: List): Promise<readonly Definition[]> => {
    try {
      return firstOfEach(name, await read(name), diagnostics);
    } catch (error) {
      // Resources need no templates, and older servers do not even know the question.
      if (name === 'templates' && isUnknownMethod(error)) return [];
      diagnostics.push({
        code: `${name}-unavailable`,
        message: error instanceof Error ? error.message : String(error),
      });
      return [];
    }
  };
  const [tools, resources, templates, prompts] = await Promise.all([
    read('tools'),
    orNothing('resources'),
    orNothing('templates'),
    orNothing('prompts'),
  ]);
  refuseDuplicates(tools);
  const linked = source.lists.includes('resources') && !templates.some(isLikeLinked) ? [linkedResource] : [];
  return { tools, resources, templates: [...templates, ...linked], prompts, diagnostics };
}

/** A server's own template for everything makes ours superfluous. */
function isLikeLinked({ uriTemplate }: Definition): boolean {
  return uriTemplate === linkedResource['uriTemplate'];
}

function isUnknownMethod(error: unknown): boolean {
  const said = error instanceof LongshoreError ? error.data?.['error'] : undefined;
  return isJsonObject(said) && said['code'] === methodNotFound;
}

async function readPages(
  source: DiscoverySource,
  name: List,
  room: { characters: number },
): Promise<readonly JsonValue[]> {
  const { method, items: member, identity } = lists[name];
  const items: JsonValue[] = [];
  const known = new Set<unknown>();
  const seen = new Set<string>();
  let params: JsonObject = {};
  for (let pages = 1; ; pages++) {
    // Some servers of 2025 write no cursor as the empty one; then that page is the first again, or refused.
    const mayBeOver = source.era === 'legacy' && params.cursor === '';
    const page = await onePage(source, method, params).catch((error: unknown) => {
      if (mayBeOver && error instanceof LongshoreError && error.code === 'discovery-failed') return undefined;
      throw error;
    });
    if (page === undefined) return items;
    const found = page[member] as readonly JsonValue[];
    if (!Array.isArray(found)) throw fault(method, `a page has no list of ${member}`);
    const ids = found.map(item => (isJsonObject(item) ? item[identity] : undefined));
    if (mayBeOver && ids.every(id => known.has(id))) return items;
    if (items.length + found.length > maxItems) throw fault(method, `more than ${maxItems} ${member}`);
    room.characters -= JSON.stringify(found).length;
    if (room.characters < 0) throw fault(method, `the lists have more than ${maxCharacters} characters in all`);
    for (const item of found) items.push(item);
    for (const id of ids) known.add(id);
    const cursor = page.nextCursor;
    if (cursor === undefined || cursor === null) return items;
    if (typeof cursor !== 'string') throw fault(method, 'a cursor that is not a text');
    // An empty text is a valid cursor.
    if (seen.has(cursor)) throw fault(method, repeated(cursor, pages));
    if (pages === maxPages) throw fault(method, `more than ${maxPages} pages`);
    seen.add(cursor);
    params = { cursor };
  }
}

function repeated(cursor: string, page: number): string {
  const shown = JSON.stringify(cut(cursor, 80));
  return `page ${page} has the repeated cursor ${shown}, so the list would never end; that is a fault of the server, which its author must mend`;
}

async function onePage(source: DiscoverySource, method: ListMethod, params: JsonObject): Promise<JsonObject> {
  const outcome = await source.ask(method, params);
  if (outcome.kind === 'result') return outcome.result;
  if (outcome.kind === 'none') throw source.explain(outcome.cause);
  const { message, data } = failureOf(outcome, method);
  throw new LongshoreError('discovery-failed', message, data === undefined ? {} : { data: { error: data } });
}

/** `data.found` marks a fault of the list itself: asking again, or in another way, would find the same. */
function fault(method: string, found: string): LongshoreError {
  return new LongshoreError('discovery-failed', `The server's ${method} cannot be used: ${found}.`, {
    data: { method, found },
  });
}

/** So many definitions of a list are told of one by one. */
const mostTold = 20;

/** Reads what can be used, and takes out the rest. */
function wellFormed(
  name: List,
  items: readonly JsonValue[],
  mirrorsHeaders: boolean,
  diagnostics: Diagnostic[],
): readonly Definition[] {
  const good: Definition[] = [];
  const odd: Diagnostic[] = [];
  const leftOut: Diagnostic[] = [];
  for (const item of items) {
    const read = readDefinition(kinds[name], item);
    const wrong =
      'unusable' in read
        ? malformed(read.unusable)
        : mirrorsHeaders && name === 'tools' && headerWrong(read.definition);
    if ('definition' in read && !wrong) {
      good.push(read.definition);
      const changed = [...read.changed, ...strictDefinition(kinds[name], read.definition).changed];
      if (changed.length > 0) odd.push(oddDefinition(name, read.definition, changed));
    } else if (wrong) {
      leftOut.push({
        code: wrong.code,
        message: `The ${lists[name].noun} ${called(item)} was left out: ${wrong.message}.`,
        data: { list: name, name: nameOf(item) },
      });
    }
  }
  tellSome(name, leftOut, diagnostics);
  tellSome(name, odd, diagnostics);
  return good;
}

function tellSome(name: List, all: readonly Diagnostic[], diagnostics: Diagnostic[]): void {
  diagnostics.push(...all.slice(0, mostTold));
  const [first] = all;
  if (first === undefined || all.length <= mostTold) return;
  diagnostics.push({ code: first.code, message: `So it is with ${all.length - mostTold} more under ${name}.` });
}

function called(item: JsonValue): string {
  const name = nameOf(item);
  return name === undefined ? 'without a name' : JSON.stringify(name);
}

function nameOf(item: JsonValue): string | undefined {
  return isJsonObject(item) && typeof item.name === 'string' ? cut(item.name, 80) : undefined;
}

function oddDefinition(name: List, definition: Definition, changed: readonly string[]): Diagnostic {
  const places =
    changed
      .slice(0, 10)
      .map(place => cut(place, 80))
      .join(', ') + (changed.length > 10 ? ' …' : '');
  return {
    code: 'odd-definition',
    message: `Of the ${lists[name].noun} ${called(definition)} clients are not shown as it came: ${places}. Many would refuse the whole list for it.`,
    data: { list: name, name: nameOf(definition) },
  };
}

interface Wrong {
  readonly code: string;
  readonly message: string;
}

function malformed(message: string): Wrong {
  return { code: 'malformed-definition', message };
}

function headerWrong(tool: JsonObject): Wrong | undefined {
  const message = headerFault(tool.inputSchema);
  return message === undefined ? undefined : { code: 'invalid-header-annotation', message };
}

function refuseDuplicates(tools: readonly Definition[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (name !== '' && names.has(name))
      throw fault('tools/list', `the tool ${JSON.stringify(cut(name, 80))} is listed twice`);
    names.add(name);
  }
}

/** A second resource of the same URI, or prompt of the same name, could never be told from the first. */
function firstOfEach(name: List, definitions: readonly Definition[], diagnostics: Diagnostic[]): readonly Definition[] {
  const { identity } = lists[name];
  const seen = new Set<unknown>();
  const twice: Diagnostic[] = [];
  const first = definitions.filter(definition => {
    const id = definition[identity];
    if (!seen.has(id)) return seen.add(id);
    const shown = JSON.stringify(typeof id === 'string' ? cut(id, 80) : id);
    const message = `The server lists ${shown} twice under ${name}; the first is used.`;
    twice.push({ code: 'duplicate-definition', message });
    return false;
  });
  tellSome(name, twice, diagnostics);
  return first;
}
