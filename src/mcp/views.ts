import type { AgentId } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { isLinkedResource } from '../core/linked-resource.ts';
import type { Era, Handle, HandleKind } from '../core/words.ts';
import { toClientDefinition } from './client-definition.ts';
import type { McpClient } from './mcp-client.ts';

/** The lists that a client is told the changes of. */
export const listKinds = ['tools', 'resources', 'prompts'] as const;
export type ListKind = (typeof listKinds)[number];

/** What a client sees, as it is now. */
export interface View {
  /** Server by server in the order of their keys, each in the server's own order; each URI once. */
  list(kind: HandleKind): readonly Handle[];
  /** The one of that handle name. */
  named(kind: HandleKind, handleName: string): Handle | undefined;
  /** The JSON text of a list, made once for as long as nothing changes. */
  json(kind: HandleKind, era: Era): string;
}

/** What views are made of. */
export interface ViewDeps {
  handles(agentId: AgentId): readonly Handle[];
  /** False for what this client may not call, or must not know of. */
  sees(client: McpClient, handle: Handle): boolean;
  /** Narrows the tools that are listed, for clients whose lists stay small; what is not listed can still be called. */
  listed(client: McpClient, tools: readonly Handle[]): readonly Handle[];
  /** Tools of Longshore's own at the end of the list. */
  extra(client: McpClient): readonly JsonObject[];
}

/** Milliseconds in which changes are gathered before clients are told. */
const burst = 100;

interface Watcher {
  readonly client: McpClient;
  readonly onChanged: (kinds: readonly ListKind[]) => void;
  marks: Readonly<Record<ListKind, string>>;
}

/** The views of all clients; each is computed when it is asked for, and again after a change. */
export class Views {
  readonly #needs: ViewDeps;
  readonly #views = new Map<string, ComputedView>();
  readonly #watchers = new Set<Watcher>();
  #timer: NodeJS.Timeout | undefined;

  constructor(needs: ViewDeps) {
    this.#needs = needs;
  }

  of(client: McpClient): View {
    const key = `${client.id} ${client.server ?? ''}`;
    let view = this.#views.get(key);
    if (view === undefined) {
      view = new ComputedView(client, this.#needs);
      this.#views.set(key, view);
    }
    return view;
  }

  /** Something that lists depend on has changed: of one agent, or of all. */
  changed(agentId?: AgentId): void {
    for (const [key, view] of this.#views) {
      if ((agentId ?? view.agentId) === view.agentId) this.#views.delete(key);
    }
    if (this.#watchers.size === 0) return;
    this.#timer ??= setTimeout(() => this.#tell(), burst);
  }

  /** Tells which lists changed for a client; returns the way to stop. */
  watch(client: McpClient, onChanged: Watcher['onChanged']): () => void {
    const watcher: Watcher = { client, onChanged, marks: this.#marks(client) };
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watchers.clear();
  }

  #tell(): void {
    this.#timer = undefined;
    for (const watcher of this.#watchers) {
      const marks = this.#marks(watcher.client);
      const kinds = listKinds.filter(kind => marks[kind] !== watcher.marks[kind]);
      watcher.marks = marks;
      if (kinds.length > 0) watcher.onChanged(kinds);
    }
  }

  #marks(client: McpClient): Watcher['marks'] {
    const view = this.of(client) as ComputedView;
    return {
      tools: view.mark('tool'),
      resources: view.mark('resource') + view.mark('template'),
      prompts: view.mark('prompt'),
    };
  }
}

class ComputedView implements View {
  readonly agentId: AgentId;
  readonly #client: McpClient;
  readonly #needs: ViewDeps;
  readonly #lists = new Map<HandleKind, readonly Handle[]>();
  readonly #names = new Map<HandleKind, ReadonlyMap<string, Handle>>();
  readonly #json = new Map<string, string>();
  readonly #marks = new Map<HandleKind, string>();
  #seen: readonly Handle[] | undefined;

  constructor(client: McpClient, needs: ViewDeps) {
    this.agentId = client.agentId;
    this.#client = client;
    this.#needs = needs;
  }

  list(kind: HandleKind): readonly Handle[] {
    let list = this.#lists.get(kind);
    if (list === undefined) {
      this.#seen ??= this.#needs.handles(this.agentId).filter(handle => this.#sees(handle));
      list = arranged(kind, this.#seen);
      this.#lists.set(kind, list);
    }
    return list;
  }

  named(kind: HandleKind, handleName: string): Handle | undefined {
    let names = this.#names.get(kind);
    if (names === undefined) {
      names = new Map(this.list(kind).map(handle => [handle.handleName, handle]));
      this.#names.set(kind, names);
    }
    return names.get(handleName);
  }

  json(kind: HandleKind, era: Era): string {
    const key = `${kind} ${era}`;
    let json = this.#json.get(key);
    if (json === undefined) {
      const extra = kind === 'tool' ? this.#needs.extra(this.#client) : [];
      const shown = [...this.#listed(kind).map(handle => toClientDefinition(handle, era)), ...extra];
      json = `[${shown.map(definition => JSON.stringify(definition)).join(',')}]`;
      this.#json.set(key, json);
    }
    return json;
  }

  /** Differs whenever the list does. */
  mark(kind: HandleKind): string {
    let mark = this.#marks.get(kind);
    if (mark === undefined) {
      mark = this.#listed(kind)
        .map(({ handleName, definitionDigest }) => `${handleName} ${definitionDigest}`)
        .join('\n');
      this.#marks.set(kind, mark);
    }
    return mark;
  }

  #listed(kind: HandleKind): readonly Handle[] {
    if (kind === 'tool') return this.#needs.listed(this.#client, this.list(kind));
    return this.list(kind).filter(handle => !isLinkedResource(handle));
  }

  #sees(handle: Handle): boolean {
    const { server } = this.#client;
    return (server === undefined || handle.ownerKey === server) && this.#needs.sees(this.#client, handle);
  }
}

/**
 * Each server's in the order in which it lists them, the servers in one that no restart changes. Where two have a resource
 * of the same URI, the one that was mounted first is meant, as when it is read.
 */
function arranged(kind: HandleKind, seen: readonly Handle[]): readonly Handle[] {
  const own = seen.filter(handle => handle.kind === kind);
  if (kind !== 'resource' && kind !== 'template') return own.toSorted(byServer);
  const first = new Map<string, Handle>();
  for (const handle of own) {
    const key = isLinkedResource(handle) ? `${handle.wireName} ${handle.ownerKey}` : handle.wireName;
    if (!first.has(key)) first.set(key, handle);
  }
  return [...first.values()].sort(byServer);
}

function byServer(one: Handle, other: Handle): number {
  if (one.ownerKey === other.ownerKey) return 0;
  return one.ownerKey < other.ownerKey ? -1 : 1;
}
