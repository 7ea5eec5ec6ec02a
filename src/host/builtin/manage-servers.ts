import type { CallOptions } from '../../connections/connection.ts';
import { emptyScope } from '../../core/caller-scope.ts';
import { asLongshoreError, LongshoreError } from '../../core/errors.ts';
import { type AgentId, ownServerKey } from '../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Caller, Handle, Operation, RawResult } from '../../core/words.ts';
import { isHidden } from '../../governance/dispatch/caller-scope.ts';
import type { Registry } from '../../governance/registry/registry.ts';
import type { createToolSearch } from '../../governance/registry/tool-index.ts';
import type { Rules } from '../../governance/rules/rules.ts';
import type { Redactor } from '../../secrets/redact.ts';
import type { Fleet } from '../../servers/fleet.ts';
import { loadServer } from '../../servers/load-server.ts';
import type { ManagedServer } from '../../servers/managed-server.ts';
import type { SavedBook } from '../../servers/saved-book.ts';
import { unloadServer } from '../../servers/unload-server.ts';
import type { Callers } from '../../store/callers.ts';
import type { ManagingToolName } from './managing-tools.ts';
import { searchServers, serverText } from './search-servers.ts';

/** The servers that are managed, and the rules about who sees what of them. */
export interface ManageContext {
  readonly fleet: Fleet;
  readonly saved: SavedBook;
  readonly rules: Pick<Rules, 'policy'>;
}

/** What the tools work on: the servers and rules of the host. */
export interface ManageDeps {
  readonly registry: Registry;
  readonly callers: Pick<Callers, 'list'>;
  readonly search: ReturnType<typeof createToolSearch>;
  readonly redactor: Pick<Redactor, 'text'>;
  ground(): ManageContext;
}

/** Who asked, and what it may know of. */
interface Asker {
  readonly agentId: AgentId;
  readonly caller: Caller;
  sees(handle: Handle): boolean;
}

type RunOptions = Required<Pick<CallOptions, 'signal' | 'onprogress'>>;

/**
 * Does what the managing tools do, for the client that its call is from. What goes wrong with a server is the tool's own
 * answer (`isError`), with the sentence that the operator would be told.
 */
export function createManageServers(
  needs: ManageDeps,
): (operation: Operation, options: RunOptions) => Promise<RawResult> {
  /** Who loaded what is not saved; what the operator loaded again is another member. */
  const loaders = new WeakMap<ManagedServer, Caller>();

  return async (operation, options) => {
    const { agentId, caller, wireName, arguments: args } = operation;
    const asker = await askerOf(needs, agentId, caller);
    try {
      switch (wireName as ManagingToolName) {
        case 'search':
          return await search(needs, asker, args);
        case 'load':
          return await load(needs, loaders, asker, textOf(args['ref']), options);
        case 'unload':
          return await unload(needs.ground(), loaders, asker, textOf(args['server']));
      }
    } catch (error) {
      if (options.signal.aborted) throw error;
      return { content: [text(needs.redactor.text(asLongshoreError(error).message))], isError: true };
    }
  };
}

async function askerOf({ callers, ground }: ManageDeps, agentId: AgentId, caller: Caller): Promise<Asker> {
  const client = (await callers.list()).find(one => one.caller === caller && one.revokedAt === null);
  const { rules } = ground();
  return { agentId, caller, sees: handle => !isHidden(handle, caller, client?.scope ?? emptyScope, rules.policy) };
}

async function search(needs: ManageDeps, asker: Asker, args: JsonObject): Promise<RawResult> {
  const { limit } = args;
  const words = textOf(args['query']);
  const most = typeof limit === 'number' ? limit : 10;
  const isOthers = (handle: Handle) => handle.ownerKey !== ownServerKey && asker.sees(handle);
  const tools = needs.search.search(asker.agentId, words, most, isOthers);
  const servers = await searchServers({ ...needs.ground(), registry: needs.registry }, asker, words, tools);
  const found = servers.slice(0, most);
  const lines = [
    ...found.map(serverText),
    ...tools.map(tool => `tool ${tool.handleName}: ${firstLine(tool.definition['description'])}`),
  ];
  const none = 'Nothing here fits these words. Another server may be loaded from its image.';
  return {
    content: [text(lines.length === 0 ? none : lines.join('\n'))],
    structuredContent: { servers: found.map(server => ({ ...server })), tools: tools.map(toolView) },
  };
}

async function load(
  needs: ManageDeps,
  loaders: WeakMap<ManagedServer, Caller>,
  { agentId, caller, sees }: Asker,
  ref: string,
  { signal, onprogress }: RunOptions,
): Promise<RawResult> {
  const { fleet, saved } = needs.ground();
  const before = new Set(fleet.list(agentId));
  const remember = (member: ManagedServer | undefined) => {
    if (member && !before.has(member) && !loaders.has(member)) loaders.set(member, caller);
  };
  let steps = 0;
  const onPhase = (phase: string, detail?: string) => {
    steps += 1;
    onprogress({ progress: steps, message: detail === undefined ? phase : `${phase}: ${detail}` });
  };
  const request = { ref, settings: {}, save: false, options: { signal, onPhase } };
  const member = await loadServer(saved, { agentId, actor: caller }, request).then(
    ({ server }) => server,
    async (error: unknown) => {
      // One that failed stays listed (R58), and whoever brought it may take it away again.
      const failed = await saved.resolve(agentId, ref).catch(() => undefined);
      remember(failed?.running);
      throw error;
    },
  );
  remember(member);
  const { serverKey, planned } = member;
  const tools = needs.registry.list(agentId, { ownerKey: serverKey, kind: 'tool' }).filter(sees);
  const names = tools.map(tool => tool.handleName).join(', ');
  const what = tools.length === 0 ? 'It has no tools that you may call.' : `Its tools are in the list now: ${names}`;
  return {
    content: [text(`${serverKey} is loaded. ${what}`)],
    structuredContent: { server: serverKey, kind: planned.kind, tools: tools.map(toolView) },
  };
}

async function unload(
  { saved }: ManageContext,
  loaders: WeakMap<ManagedServer, Caller>,
  { agentId, caller }: Asker,
  ref: string,
): Promise<RawResult> {
  const { running: member, saved: row } = await saved.resolve(agentId, ref);
  if (!member) throw new LongshoreError('unknown-server', `There is no server ${JSON.stringify(ref)} loaded.`);
  const { serverKey } = member;
  if (row) {
    throw new LongshoreError('denied', `${serverKey} is saved, so it stays. It falls asleep when nobody calls it.`);
  }
  if (loaders.get(member) !== caller) {
    throw new LongshoreError('denied', `${serverKey} was loaded by somebody else, who may unload it.`);
  }
  const outcome = await unloadServer(saved, { agentId, actor: caller }, serverKey);
  return {
    content: [text(`${serverKey} is unloaded; nothing of it runs any more.`)],
    structuredContent: { server: serverKey, handlesWithdrawn: outcome.handles_withdrawn },
  };
}

/** Arguments were checked against the tools' schemas before they came here. */
function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function toolView({ handleName, ownerKey, definition: { description } }: Handle): JsonObject {
  return { name: handleName, server: ownerKey, ...(typeof description === 'string' && { description }) };
}

function firstLine(description: unknown): string {
  return typeof description === 'string' ? (description.split('\n')[0] ?? '') : '';
}

function text(words: string): JsonObject {
  return { type: 'text', text: words };
}
