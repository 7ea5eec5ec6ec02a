import type { Authorisation } from '../core/authorisation.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { AgentId, Epoch, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { OlderEra } from '../core/older-era.ts';
import { asksLikeIn2025, type CallClient } from '../core/ports/call-client.ts';
import type { Diagnostic, Era, Operation, RawResult, TransportName } from '../core/words.ts';
import { Emitter } from '../lib/emitter.ts';
import { joinedClose } from '../lib/joined-close.ts';
import { untilAborted } from '../lib/until-aborted.ts';
import { wantsToPush } from './back-channel.ts';
import type { CallOptions, Connection, ConnectionState, Discovery, Notice } from './connection.ts';
import type { ConnectionRequest } from './connection-request.ts';
import { listsMore, looksIncomplete } from './lists-more.ts';
import type { NegotiatedConnection } from './negotiated-connection.ts';
import { OlderSide } from './older-side.ts';

/** One side of a server: a connection of its own, and how many calls run on it. */
interface Side {
  readonly connection: NegotiatedConnection;
  /** What it listed when it was opened. */
  readonly tools: ReadonlySet<string>;
  running: number;
  retired: boolean;
}

/**
 * A server that speaks 2026-07-28 and perhaps 2025 revisions too, as one connection with one epoch. Calls go to the
 * newer side, but for those of clients that only the older one can ask for input; a server that refuses to work without
 * asking, or lists more on its older side, moves there altogether. The older side is opened when it is first needed.
 */
export class TwoEraConnection implements Connection {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly epoch: Epoch;
  readonly ended: Promise<{ readonly reason: string }>;
  /** Ends both sides, and what is left of a side that could not be opened (R51-R54). */
  readonly close = joinedClose(() => this.#closeAll());
  readonly #request: ConnectionRequest;
  readonly #end = Promise.withResolvers<{ readonly reason: string }>();
  readonly #changed = new Emitter<[]>();
  readonly #notices = new Emitter<[Notice]>();
  readonly #sides: Side[] = [];
  /** By URI: what was allowed of this server holds on whichever side it is spoken to. */
  readonly #subscribed = new Map<string, Operation>();
  readonly #stop = new AbortController();
  readonly #olderSide: OlderSide;
  #main: Side;
  #older: Side | undefined;
  #olderEra: OlderEra | undefined;
  /** Set once the server has shown that it must be spoken to on its older side, whoever calls. */
  #pushes = false;
  #compared = false;
  #opening: Promise<void> | undefined;
  #logLevel: string | undefined;

  /** `openedIn`: milliseconds that the newer side took to open. */
  constructor(request: ConnectionRequest, newest: NegotiatedConnection, openedIn: number) {
    this.agentId = newest.agentId;
    this.serverKey = newest.serverKey;
    this.epoch = newest.epoch;
    this.ended = this.#end.promise;
    this.#request = request;
    this.#olderEra = request.olderEra;
    this.#olderSide = new OlderSide(request, newest.epoch, openedIn);
    this.#main = this.#add(newest, []);
  }

  get era(): Era {
    return this.#main.connection.era;
  }

  get transport(): TransportName {
    return this.#main.connection.transport;
  }

  get protocolVersion(): string {
    return this.#main.connection.protocolVersion;
  }

  get serverInfo(): JsonObject {
    return this.#main.connection.serverInfo;
  }

  get capabilities(): JsonObject {
    return this.#main.connection.capabilities;
  }

  get instructions(): string | undefined {
    return this.#main.connection.instructions;
  }

  get state(): ConnectionState {
    return this.#main.connection.state;
  }

  supports(capability: string): boolean {
    return this.#main.connection.supports(capability);
  }

  async discover(signal: AbortSignal): Promise<Discovery> {
    let found = await this.#main.connection.discover(signal);
    if (!this.#compared && this.#olderEra === undefined && this.#shouldCompare(found)) {
      this.#compared = true;
      found = await this.#compare(found, signal);
    }
    const olderEra = this.#olderEra;
    return olderEra === undefined || found.said === undefined ? found : { ...found, said: { ...found.said, olderEra } };
  }

  prepare(client: CallClient | undefined, signal: AbortSignal): Promise<void> | undefined {
    if (!this.#wantsOlder(client) || this.#older !== undefined || this.#olderSide.isMissing) return undefined;
    const why = this.#pushes ? 'refused' : 'client';
    if (this.#request.olderSide === 'next-start') {
      this.#learn(why);
      return undefined;
    }
    this.#opening ??= this.#openOlder(why).finally(() => {
      this.#opening = undefined;
    });
    return untilAborted(this.#opening, signal);
  }

  /** The side is chosen and written to in the same tick, see `NegotiatedConnection.perform`. */
  async call(authorisation: Authorisation, options: CallOptions = {}): Promise<RawResult> {
    const operation = this.#request.redeem(authorisation);
    const side = this.#sideFor(operation, options.client);
    side.running += 1;
    try {
      const result = await side.connection.perform(operation, options);
      this.#notePush(side, result);
      return result;
    } catch (error) {
      this.#notePush(side, error);
      throw error;
    } finally {
      side.running -= 1;
      this.#closeIfRetired(side);
    }
  }

  async checkLife(limit: number): Promise<void> {
    await Promise.all(this.#sides.map(({ connection }) => connection.checkLife(limit)));
  }

  onListChanged(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  onNotice(listener: (notice: Notice) => void): () => void {
    return this.#notices.on(listener);
  }

  async setLogLevel(level: string): Promise<void> {
    this.#logLevel = level;
    await Promise.all(this.#sides.map(({ connection }) => connection.setLogLevel(level)));
  }

  async subscribe(authorisation: Authorisation): Promise<void> {
    const operation = this.#request.redeem(authorisation);
    await this.#main.connection.listenTo(operation);
    this.#subscribed.set(operation.wireName, operation);
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#subscribed.delete(uri);
    await this.#main.connection.unsubscribe(uri);
  }

  stderrTail(): readonly string[] {
    return this.#sides.flatMap(({ connection }) => connection.stderrTail());
  }

  stderrCount(): number {
    return this.#sides.reduce((sum, { connection }) => sum + connection.stderrCount(), 0);
  }

  diagnostics(): readonly Diagnostic[] {
    return this.#main.connection.diagnostics();
  }

  #add(connection: NegotiatedConnection, tools: readonly { readonly name?: unknown }[]): Side {
    const names = tools.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
    const side: Side = { connection, tools: new Set(names), running: 0, retired: false };
    this.#sides.push(side);
    connection.onNotice(notice => this.#notices.emit(notice));
    connection.onListChanged(() => {
      if (side === this.#main) this.#changed.emit();
    });
    void connection.ended.then(({ reason }) => this.#lost(side, reason)); // never rejects
    return side;
  }

  #lost(side: Side, reason: string): void {
    if (side === this.#older) this.#older = undefined;
    if (side === this.#main) {
      this.#stop.abort();
      this.#end.resolve({ reason });
    }
  }

  #wantsOlder(client: CallClient | undefined): boolean {
    return this.era === 'modern' && (this.#pushes || (client !== undefined && asksLikeIn2025(client)));
  }

  #sideFor({ method, wireName }: Operation, client: CallClient | undefined): Side {
    const older = this.#older;
    if (older === undefined || !this.#wantsOlder(client)) return this.#main;
    return method !== 'tools/call' || older.tools.has(wireName) ? older : this.#main;
  }

  /** A server of 2026 that only knows how to ask its client in the older way says so in its answer. */
  #notePush({ connection }: Side, outcome: unknown): void {
    if (connection.era === 'modern' && wantsToPush(outcome)) this.#pushes = true;
  }

  #shouldCompare(found: Discovery): boolean {
    const { olderSide } = this.#request;
    return olderSide === 'beside' || (olderSide === 'instead' && looksIncomplete(this.capabilities, found));
  }

  /** Looks at the older side once, and moves there if more is listed. */
  async #compare(found: Discovery, signal: AbortSignal): Promise<Discovery> {
    const opened = await untilAborted(this.#olderSide.open(this.#stop.signal, this.#logLevel), signal);
    if (opened === undefined) {
      if (this.#olderSide.isAbsent) this.#olderEra = { found: 'absent' };
      return found;
    }
    if (listsMore(opened.discovery, found)) {
      this.#move(this.#add(opened.connection, opened.discovery.tools), 'lists-more');
      return opened.discovery;
    }
    this.#olderEra = { found: 'same' };
    await opened.connection.close();
    return found;
  }

  async #openOlder(why: 'refused' | 'client'): Promise<void> {
    const opened = await this.#olderSide.open(this.#stop.signal, this.#logLevel);
    if (opened === undefined) {
      if (this.#olderSide.isAbsent) this.#learn('absent');
      return;
    }
    const side = this.#add(opened.connection, opened.discovery.tools);
    if (this.#request.olderSide === 'beside' && why === 'client') {
      this.#older = side;
      this.#learn('beside');
    } else this.#move(side, why);
  }

  /** From now on everybody speaks to it on that side; the other one ends with its last call. */
  #move(side: Side, found: OlderEra['found']): void {
    const former = this.#main;
    this.#main = side;
    this.#older = side;
    former.retired = true;
    for (const operation of this.#subscribed.values()) {
      side.connection.listenTo(operation).catch((error: unknown) => {
        this.#request.around.log.warn({ serverKey: this.serverKey, error: String(error) }, 'A subscription was lost.');
      });
    }
    this.#closeIfRetired(former);
    this.#learn(found);
  }

  /** What was learned is kept with the lists, which are read again. */
  #learn(found: OlderEra['found']): void {
    if (this.#olderEra?.found === found) return;
    this.#olderEra = { found };
    this.#changed.emit();
  }

  #closeIfRetired(side: Side): void {
    if (!side.retired || side.running > 0) return;
    // What is left of it is this connection's to end, see `#closeAll` (R54).
    side.connection.close().catch(() => {});
  }

  async #closeAll(): Promise<void> {
    this.#stop.abort();
    const sides = [...this.#sides];
    const begun = sides.map(({ connection }) => connection.close());
    const opening = (this.#opening ?? Promise.resolve()).then(async () => {
      const late = this.#sides.filter(side => !sides.includes(side)).map(({ connection }) => connection.close());
      await Promise.all([...late, this.#olderSide.close()]);
    });
    const closes = [...begun, opening];
    const failures = (await Promise.allSettled(closes)).flatMap(result =>
      result.status === 'rejected' ? [asLongshoreError(result.reason, 'close-failed')] : [],
    );
    const [first] = failures;
    if (first === undefined) return;
    throw new LongshoreError('close-failed', failures.map(({ message }) => message).join(' And: '), { cause: first });
  }
}
