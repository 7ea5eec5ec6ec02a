import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { EndpointContext } from '../endpoint-context.ts';
import { noticeFrame, type RequestId, RpcError, resultFrame, rpcCodes } from '../json-rpc.ts';
import type { McpClient } from '../mcp-client.ts';
import { serverInfo } from '../methods/greeting.ts';
import { resourceHandle } from '../methods/resource-methods.ts';
import { metaKeys } from '../request-headers.ts';
import { serverInfoKey } from '../results.ts';
import type { Outlet } from './legacy-session.ts';

/** One client that listens. */
export interface Listening extends AsyncDisposable {
  readonly client: McpClient;
  /** A resource has changed, of that server. */
  updated(server: string, params: JsonObject): void;
  /** Ends it in order, as when the service stops. */
  finish(): void;
}

/** So many streams of one client. */
const mostOfOneClient = 64;

/** The `subscriptions/listen` streams of 2026-07-28 clients. */
export class ListenStreams {
  readonly #ground: EndpointContext;
  readonly #open = new Set<Listening>();

  constructor(ground: EndpointContext) {
    this.#ground = ground;
  }

  get all(): Iterable<Listening> {
    return this.#open;
  }

  /**
   * Begins to tell a client what it asked for. First it is told what that is; `end` is given the last frame. Throws an
   * RpcError.
   */
  async open(
    client: McpClient,
    { id, params }: { readonly id: RequestId; readonly params: JsonObject },
    outlet: Outlet,
    end: (frame: string) => void,
  ): Promise<Listening> {
    const wanted = readFilter(params);
    if ([...this.#open].filter(one => one.client.id === client.id).length >= mostOfOneClient) {
      throw new RpcError(rpcCodes.internal, `This client listens ${mostOfOneClient} times already.`);
    }
    const _meta = { [metaKeys.subscription]: id };
    const tell = (method: string, told: JsonObject = {}): void =>
      outlet.send(
        noticeFrame(method, { ...told, _meta: { ...(isJsonObject(told._meta) ? told._meta : {}), ..._meta } }),
      );
    await using opening = new AsyncDisposableStack();
    const uris = new Map<string, string>();
    for (const uri of wanted.uris) {
      const handle = resourceHandle(this.#ground, client, uri);
      if (handle === undefined) continue;
      try {
        const { signal } = new AbortController();
        const request = { ...client, handle, uri };
        opening.use(await this.#ground.host.subscribe(request, signal, () => void uris.delete(uri)));
        uris.set(uri, handle.ownerKey);
      } catch (error) {
        this.#ground.log.info({ uri, error: String(error) }, 'A resource could not be subscribed to.');
      }
    }
    tell('notifications/subscriptions/acknowledged', {
      notifications: { ...wanted.lists, ...(uris.size > 0 && { resourceSubscriptions: [...uris.keys()] }) },
    });
    opening.defer(
      this.#ground.views.watch(client, kinds => {
        for (const kind of kinds) {
          if (wanted.lists[`${kind}ListChanged`]) tell(`notifications/${kind}/list_changed`);
        }
      }),
    );
    const held = opening.move();
    const listening: Listening = {
      client,
      updated(server, told) {
        if (typeof told.uri === 'string' && uris.get(told.uri) === server)
          tell('notifications/resources/updated', told);
      },
      finish: () => end(resultFrame(id, { resultType: 'complete', _meta: { ..._meta, [serverInfoKey]: serverInfo } })),
      [Symbol.asyncDispose]: async () => {
        this.#open.delete(listening);
        await held.disposeAsync();
      },
    };
    this.#open.add(listening);
    return listening;
  }
}

interface Filter {
  readonly lists: Readonly<Partial<Record<'toolsListChanged' | 'promptsListChanged' | 'resourcesListChanged', true>>>;
  readonly uris: readonly string[];
}

function readFilter({ notifications }: JsonObject): Filter {
  if (!isJsonObject(notifications)) {
    throw new RpcError(rpcCodes.invalidParams, 'notifications must say what to listen to.');
  }
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions = [] } = notifications;
  const isUris = Array.isArray(resourceSubscriptions) && resourceSubscriptions.every(uri => typeof uri === 'string');
  if (!isUris) throw new RpcError(rpcCodes.invalidParams, 'resourceSubscriptions must be a list of URIs.');
  return {
    lists: {
      ...(toolsListChanged === true && { toolsListChanged }),
      ...(promptsListChanged === true && { promptsListChanged }),
      ...(resourcesListChanged === true && { resourcesListChanged }),
    },
    uris: [...new Set(resourceSubscriptions as readonly string[])].slice(0, 1_000),
  };
}
