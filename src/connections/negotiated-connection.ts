import { ProtocolError } from '@modelcontextprotocol/client';
import type { Authorisation } from '../core/authorisation.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import { type AgentId, type Digest, type Epoch, type ServerKey, sha256 } from '../core/ids.ts';
import { canonicalJson, isJsonObject, type JsonObject } from '../core/json.ts';
import type { Diagnostic, Era, Operation, RawResult, TransportName } from '../core/words.ts';
import { Calls } from './calls.ts';
import { listsOf, supports } from './capabilities.ts';
import type { CallOptions, Connection, ConnectionState, Discovery, Notice } from './connection.ts';
import type { ConnectionRequest } from './connection-request.ts';
import { readLists } from './discovery.ts';
import { withinDiscovery } from './discovery-deadline.ts';
import { lastWordsOf } from './last-words.ts';
import type { Agreement } from './negotiation.ts';
import { plainRequest } from './plain-request.ts';
import { type Method, never, sendRequest } from './request.ts';
import { ResourceUpdates } from './resource-updates.ts';
import type { ServerLink } from './server-link.ts';
import type { Life } from './state-machine.ts';

const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/** A connection on a link that has agreed on a version. */
export class NegotiatedConnection implements Connection {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly epoch: Epoch;
  readonly era: Era;
  readonly transport: TransportName;
  readonly protocolVersion: string;
  readonly ended: Promise<{ readonly reason: string }>;
  readonly #request: ConnectionRequest;
  readonly #link: ServerLink;
  readonly #life: Life;
  readonly #calls: Calls;
  readonly #listening = new AbortController();
  readonly #updates: ResourceUpdates;
  #listens = false;
  /** What the server said about itself, verbatim. */
  #greeting: JsonObject;
  /** The listing that proved a remembered verdict; the first `discover` gives it without asking again. */
  #proof: Discovery | undefined;
  #diagnostics: readonly Diagnostic[] = [];
  /** Digest of the lists as they were read last. */
  #listed: Digest | undefined;

  /** `epoch`: that of another connection to the same server, for which it stands in; default one of its own. */
  constructor(request: ConnectionRequest, link: ServerLink, life: Life, agreement: Agreement, epoch?: Epoch) {
    this.agentId = request.agentId;
    this.serverKey = request.serverKey;
    this.epoch = epoch ?? (request.around.randomId() as Epoch);
    this.era = agreement.era;
    this.transport = link.opened.transport;
    this.protocolVersion = agreement.protocolVersion;
    this.#request = request;
    this.#link = link;
    this.#life = life;
    this.#greeting = agreement.greeting.result;
    const { client, tap, questions } = link;
    const { deadlines, client: edge } = request;
    const calls = new Calls({
      client,
      tap,
      questions,
      edge,
      era: this.era,
      deadlines,
      lastWords: () => lastWordsOf(link.opened),
    });
    this.#calls = calls;
    this.#updates = new ResourceUpdates({
      client,
      clock: request.around.clock,
      signal: this.#listening.signal,
      missed: params => link.notices.tell('notifications/resources/updated', params, [], this.era),
    });
    const ended = Promise.withResolvers<{ readonly reason: string }>();
    this.ended = ended.promise;
    link.carry({
      endCalls: reason => {
        this.#listening.abort();
        calls.endAll(reason);
      },
      tellEnd: reason => ended.resolve({ reason }),
      callsBehind: origin => calls.behind(origin),
    });
  }

  get state(): ConnectionState {
    return this.#life.state;
  }

  get capabilities(): JsonObject {
    const { capabilities } = this.#greeting;
    return isJsonObject(capabilities) ? capabilities : {};
  }

  get serverInfo(): JsonObject {
    const { serverInfo, _meta } = this.#greeting;
    const said = this.era === 'legacy' ? serverInfo : isJsonObject(_meta) ? _meta[serverInfoKey] : undefined;
    return isJsonObject(said) ? said : {};
  }

  get instructions(): string | undefined {
    const { instructions } = this.#greeting;
    return typeof instructions === 'string' ? instructions : undefined;
  }

  supports(capability: string): boolean {
    return supports(this, capability);
  }

  async discover(signal: AbortSignal): Promise<Discovery> {
    const lists = this.#proof ?? (await this.#within(signal, inner => this.#readLists(inner)));
    const { instructions, capabilities } = this;
    const { olderEra } = this.#request;
    const said = { capabilities, ...(instructions !== undefined && { instructions }), ...(olderEra && { olderEra }) };
    const discovery = { ...lists, said };
    this.#proof = undefined;
    this.#diagnostics = discovery.diagnostics;
    this.#compare(lists);
    if (this.state.name === 'discovering') this.#life.step('discovered');
    return discovery;
  }

  /** Whoever reads the lists again does so because they were said to have changed. */
  #compare({ tools, resources, templates, prompts }: Discovery): void {
    const digest = sha256(canonicalJson([tools, resources, templates, prompts]));
    if (this.#listed !== undefined) this.#link.changes.listedAgain(this.#listed !== digest);
    this.#listed = digest;
  }

  /**
   * Proves a remembered verdict by using it: asks the server about itself and, at the same time, for its lists. Gives
   * what it says of itself now. Rejects as `discover` does.
   */
  async prove(signal: AbortSignal): Promise<JsonObject> {
    this.#proof = await this.#within(signal, async inner => {
      const believed = listsOf(this.capabilities).join();
      const lists = this.#readLists(inner);
      lists.catch(() => {}); // awaited below, unless the question about itself fails first
      await this.#link.client.discover({ signal: inner, timeout: never });
      this.#greeting = this.#link.tap.greeting?.result ?? this.#greeting;
      return listsOf(this.capabilities).join() === believed ? await lists : await this.#readLists(inner);
    });
    return this.#greeting;
  }

  async call(authorisation: Authorisation, options: CallOptions = {}): Promise<RawResult> {
    return await this.perform(this.#request.redeem(authorisation), options);
  }

  /**
   * What `call` does once the authorisation is redeemed. No `await` stands before the write: what was checked still
   * holds when the frame leaves (R40).
   */
  async perform(operation: Operation, options: CallOptions): Promise<RawResult> {
    this.#mustBeOurs(operation);
    if (operation.method === 'resources/subscribe') throw otherUse(operation);
    if (operation.method === 'completion/complete' && !this.supports('completions')) {
      const message = 'This server completes no arguments: it has no "completions" capability. Nothing was sent.';
      throw new LongshoreError('protocol-error', message, { data: { mayHaveRun: false } });
    }
    try {
      return await this.#calls.run(operation, options);
    } catch (error) {
      // Before its caller hears of it, so that whatever it does next finds the way to the next connection.
      if (error instanceof LongshoreError && error.code === 'connection-lost') this.#link.lose();
      throw error;
    }
  }

  async checkLife(limit: number): Promise<void> {
    if (this.state.name !== 'ready') return;
    const signal = AbortSignal.timeout(limit);
    // A socket that died meanwhile says nothing about the server: one more.
    const why = (await this.#whyDead(signal)) && (await this.#whyDead(signal));
    if (why !== undefined) {
      const silence = `The server gave no sign of life within ${limit / 1000} s.`;
      return await this.#link.drop(signal.aborted ? silence : why);
    }
    // It lives, but a stream that was open before may be dead without anybody having been told.
    this.#link.changes.renew();
  }

  onListChanged(listener: () => void): () => void {
    return this.#link.changes.onChanged(listener);
  }

  onNotice(listener: (notice: Notice) => void): () => void {
    return this.#link.notices.on(listener);
  }

  async setLogLevel(level: string): Promise<void> {
    if (this.era !== 'legacy' || !this.supports('logging')) return;
    await this.#ask('logging/setLevel', { level });
  }

  async subscribe(authorisation: Authorisation): Promise<void> {
    await this.listenTo(this.#request.redeem(authorisation));
  }

  /** What `subscribe` does once the authorisation is redeemed. */
  async listenTo(operation: Operation): Promise<void> {
    this.#mustBeOurs(operation);
    if (operation.method !== 'resources/subscribe') throw otherUse(operation);
    const uri = operation.wireName;
    if (!this.supports('resources.subscribe')) {
      throw new LongshoreError('protocol-error', 'This server does not tell changes of its resources.');
    }
    if (this.era === 'modern') await this.#updates.subscribe(uri);
    else await this.#ask('resources/subscribe', { uri });
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.era === 'modern') await this.#updates.unsubscribe(uri);
    else if (this.supports('resources.subscribe')) await this.#ask('resources/unsubscribe', { uri });
  }

  stderrTail(): readonly string[] {
    return this.#link.opened.stderrTail();
  }

  stderrCount(): number {
    return this.#link.opened.stderrCount();
  }

  diagnostics(): readonly Diagnostic[] {
    const { opened, tap, changes, refused } = this.#link;
    const ofWire = [...opened.diagnostics(), ...(tap.oddities?.() ?? [])];
    return [...ofWire, ...this.#diagnostics, ...changes.diagnostics(), ...refused.diagnostics()];
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  #ask(method: Method, params: JsonObject): Promise<JsonObject> {
    const { client, tap } = this.#link;
    const limit = this.#request.deadlines.callIdle;
    return plainRequest({ client, tap, limit, signal: this.#listening.signal }, method, params);
  }

  /** Asks for a sign of life. Why none came; undefined if one did, be it a refusal of the protocol or of HTTP. */
  async #whyDead(signal: AbortSignal): Promise<string | undefined> {
    const { client, tap } = this.#link;
    const options = { signal, timeout: never };
    try {
      await (this.era === 'modern' ? client.discover(options) : client.ping(options));
      return undefined;
    } catch (error) {
      if (error instanceof ProtocolError) return undefined;
      const { code, message } = tap.explain?.(error) ?? asLongshoreError(error, 'connection-lost');
      return signal.aborted || code === 'unreachable' || code === 'connection-lost' ? message : undefined;
    }
  }

  #mustBeOurs({ agentId, epoch, method, wireName }: Operation): void {
    if (agentId !== this.agentId || epoch !== this.epoch) {
      throw new LongshoreError(
        'stale-handle',
        `${method} ${wireName} belongs to another connection. List the tools again and call the new one.`,
      );
    }
    const { name } = this.state;
    if (name !== 'ready') {
      throw new LongshoreError('connection-lost', `The server is ${name}; nothing was sent.`);
    }
  }

  async #within<Value>(signal: AbortSignal, work: (inner: AbortSignal) => Promise<Value>): Promise<Value> {
    try {
      return await withinDiscovery(this.#request.deadlines.discovery, signal, work);
    } catch (error) {
      if (!(error instanceof LongshoreError) || error.code !== 'connection-lost') throw error;
      const why = await lastWordsOf(this.#link.opened);
      throw why === undefined ? error : new LongshoreError('connection-lost', why, { cause: error });
    }
  }

  #readLists(signal: AbortSignal): Promise<Discovery> {
    // Before the lists are read, so that no change falls between.
    this.#listen();
    const { client, tap } = this.#link;
    return readLists({
      lists: listsOf(this.capabilities),
      era: this.era,
      mirrorsHeaders: this.era === 'modern' && this.transport !== 'stdio',
      ask: (method, params) => sendRequest(client, tap, { method, params, signal }),
      explain: cause =>
        tap.explain?.(cause) ??
        new LongshoreError('connection-lost', 'The connection to the server was lost.', { cause }),
    });
  }

  #listen(): void {
    if (this.#listens || !this.supports('subscriptions.listen')) return;
    this.#listens = true;
    const { client, changes } = this.#link;
    // Ends with the signal; whatever fails inside is tried again.
    void changes.listen(client, this.capabilities, this.#request.around.clock, this.#listening.signal);
  }
}

function otherUse({ method }: Operation): LongshoreError {
  return new LongshoreError('forged-authorisation', `An authorisation for ${method} was used for something else.`);
}
