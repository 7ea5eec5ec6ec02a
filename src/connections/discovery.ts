import { specTypeSchemas } from '@modelcontextprotocol/client';
import { LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { linkedResource } from '../core/linked-resource.ts';
import type { Definition, Diagnostic } from '../core/words.ts';
import type { ListName } from './capabilities.ts';
import type { Discovery } from './connection.ts';
import { failureOf } from './failures.ts';
import type { Method, Outcome } from './request.ts';
import { headerFault } from './x-mcp-header.ts';

/** R48: more than this is no list but a fault. */
const maxPages = 1000;
const maxItems = 10_000;

/** What discovery needs of a connection. */
export interface DiscoverySource {
  /** The lists that the server has; others are not asked for. */
  readonly lists: readonly ListName[];
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

const schemas = {
  tools: specTypeSchemas.Tool,
  resources: specTypeSchemas.Resource,
  templates: specTypeSchemas.ResourceTemplate,
  prompts: specTypeSchemas.Prompt,
} as const satisfies Record<List, unknown>;

const methodNotFound = -32_601;

/**
 * Reads every list, page by page (R48). Definitions come verbatim; one that no client could read is set aside with a
 * diagnostic. Rejects with `discovery-failed` where the tools cannot be listed; a failure of the others is a diagnostic.
 */
export async function readLists(source: DiscoverySource): Promise<Discovery> {
  const diagnostics: Diagnostic[] = [];
  const read = async (name: List): Promise<readonly Definition[]> => {
    if (!source.lists.includes(lists[name].of)) return [];
    return wellFormed(name, await readPages(source, name), source.mirrorsHeaders, diagnostics);
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

async function readPages(source: DiscoverySource, name: List): Promise<readonly JsonValue[]> {
  const { method, items: member } = lists[name];
  const items: JsonValue[] = [];
  const seen = new Set<string>();
  let params: JsonObject = {};
  for (let pages = 1; ; pages++) {
    const page = await onePage(source, method, params);
    const found = page[member];
    if (!Array.isArray(found)) throw fault(method, `a page has no list of ${member}`);
    items.push(...found);
    if (items.length > maxItems) throw fault(method, `more than ${maxItems} ${member}`);
    const cursor = page.nextCursor;
    if (cursor === undefined || cursor === null) return items;
    if (typeof cursor !== 'string') throw fault(method, 'a cursor that is not a text');
    // An empty text is a valid cursor.
    if (seen.has(cursor)) throw fault(method, `repeated cursor ${JSON.stringify(cursor)}`);
    if (pages === maxPages) throw fault(method, `more than ${maxPages} pages`);
    seen.add(cursor);
    params = { cursor };
  }
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

/** Takes out what would make a client reject the whole list (reference/protocol.md 5.1). */
function wellFormed(
  name: List,
  items: readonly JsonValue[],
  mirrorsHeaders: boolean,
  diagnostics: Diagnostic[],
): readonly Definition[] {
  const good: Definition[] = [];
  for (const item of items) {
    const wrong = malformation(name, item) ?? (mirrorsHeaders && name === 'tools' ? headerWrong(item) : undefined);
    if (wrong === undefined) {
      good.push(item as Definition);
      continue;
    }
    const called = isJsonObject(item) && typeof item.name === 'string' ? JSON.stringify(item.name) : 'without a name';
    diagnostics.push({
      code: wrong.code,
      message: `The ${lists[name].noun} ${called} was left out: ${wrong.message}.`,
      data: { list: name, name: isJsonObject(item) ? item.name : undefined },
    });
  }
  return good;
}

interface Wrong {
  readonly code: string;
  readonly message: string;
}

function malformation(name: List, item: JsonValue): Wrong | undefined {
  const parsed = schemas[name]['~standard'].validate(item);
  const issue = 'issues' in parsed ? parsed.issues?.[0] : undefined;
  if (issue === undefined) {
    const empty = isJsonObject(item) && item.name === '';
    return empty ? { code: 'malformed-definition', message: 'its name is empty' } : undefined;
  }
  const path = (issue.path ?? []).map(part => String(typeof part === 'object' ? part.key : part)).join('.');
  return { code: 'malformed-definition', message: `${path === '' ? '' : `${path}: `}${issue.message}` };
}

function headerWrong(tool: JsonValue): Wrong | undefined {
  const message = isJsonObject(tool) ? headerFault(tool.inputSchema) : undefined;
  return message === undefined ? undefined : { code: 'invalid-header-annotation', message };
}

function refuseDuplicates(tools: readonly Definition[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw fault('tools/list', `the tool ${JSON.stringify(name)} is listed twice`);
    names.add(name);
  }
}

/** A second resource of the same URI, or prompt of the same name, could never be told from the first. */
function firstOfEach(name: List, definitions: readonly Definition[], diagnostics: Diagnostic[]): readonly Definition[] {
  const { identity } = lists[name];
  const seen = new Set<unknown>();
  return definitions.filter(definition => {
    const id = definition[identity];
    if (!seen.has(id)) return seen.add(id);
    const message = `The server lists ${JSON.stringify(id)} twice under ${name}; the first is used.`;
    diagnostics.push({ code: 'duplicate-definition', message });
    return false;
  });
}
