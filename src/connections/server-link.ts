import { Client } from '@modelcontextprotocol/client';
import type { Verdict } from '../core/ports/verdicts.ts';
import { clientInfo } from '../core/version.ts';
import type { Era } from '../core/words.ts';
import { joinedClose } from '../lib/joined-close.ts';
import { untilAborted } from '../lib/until-aborted.ts';
import type { Opened } from '../runners/runner.ts';
import type { Origin } from '../runners/transport/pushed-questions.ts';
import { createTap, type Tap } from '../runners/transport/tap.ts';
import { atMost, closeWithin } from './closing.ts';
import type { ConnectionRequest } from './connection-request.ts';
import { lastWordsOf } from './last-words.ts';
import { ListChanges } from './list-changes.ts';
import { type Agreement, negotiate } from './negotiation.ts';
import { Notices } from './notices.ts';
import { Questions } from './questions.ts';
import { RefusedRequests } from './refused-requests.ts';
import type { RunningCall } from './running-call.ts';
import type { Life } from './state-machine.ts';

/** Milliseconds that `server/discover` may go unanswered over HTTP before `initialize` is tried. */
const discoverPatience = 10_000;

/** Milliseconds for telling a server which calls are cancelled, before its wire is closed. */
const farewell = 500;

/** Milliseconds for what a container sent before it was gone. */
const lastAnswers = 100;

/** What stands on a link: it learns that the end has come, in two steps. */
export interface OnLink {
  /** No call is accepted any more; those under way end now. */
  endCalls(reason: string): void;
  /** The same, with all that could be learned about the reason. */
  tellEnd(reason: string): void;
  /** The calls that a message of the server may belong to. */
  callsBehind(origin: Origin | undefined): readonly RunningCall[];
}

/** One opened server with the SDK's client on its wire: what a start builds, and what is ended as a whole. */
export class ServerLink {
  readonly opened: Opened;
  readonly tap: Tap;
  readonly client: Client;
  readonly questions: Questions;
  readonly changes = new ListChanges();
  readonly notices = new Notices();
  readonly refused = new RefusedRequests();
  /** Ends it (R51-R54). Whoever asks meanwhile joins; after a failure the next one tries again. */
  readonly close = joinedClose(() => this.#end());
  readonly #request: ConnectionRequest;
  readonly #life: Life;
  #connecting: Promise<unknown> = Promise.resolve();
  #top: OnLink | undefined;
  #lost = false;
  #why = 'The connection to the server was lost.';
  readonly #ending = Promise.withResolvers<void>();

  constructor(opened: Opened, request: ConnectionRequest, life: Life) {
    const { declares, client: edge, around, serverKey } = request;
    const callsBehind = (origin: Origin | undefined) => this.#top?.callsBehind(origin) ?? [];
    this.questions = new Questions({ declares, edge, callsBehind });
    this.opened = opened;
    const { modern, legacy } = opened.revisions ?? request.revisions;
    this.#request = request;
    this.#life = life;
    this.tap = createTap(opened.wire, {
      initialize: opened.probe?.era === 'legacy' ? opened.probe.initialize : undefined,
      onClosed: () => this.lose(),
      // A server of 2026 must not push; the SDK drops what it does.
      onQuestion: (...asked) => (this.#era() === 'modern' ? undefined : this.questions.pushed(...asked)),
      onNotice: (method, params, origin) => {
        this.changes.heard(method);
        this.notices.tell(method, params, callsBehind(origin), this.#era());
      },
      onRefused: method => this.refused.add(method),
      onFault: ({ name }) => around.log.debug({ serverKey, fault: name }, 'fault on a wire'),
    });
    this.client = new Client(clientInfo, {
      capabilities: declares,
      supportedProtocolVersions: [...modern, ...legacy],
      // Where there is no other way to it, silence is for the deadline of the whole start.
      versionNegotiation: { mode: 'auto', ...(opened.fallback && { probe: { timeoutMs: discoverPatience } }) },
      // Rounds of input are ours, because only we can stop a call's clock meanwhile.
      inputRequired: { autoFulfill: false },
    });
  }

  /** See `negotiate`; rejects with the signal's reason as soon as it fires. */
  async negotiate(remembered: Verdict | undefined, signal: AbortSignal): Promise<Agreement> {
    const { revisions = this.#request.revisions } = this.opened;
    const negotiation = negotiate(this.client, this.tap, this.opened, { remembered, revisions }, signal);
    // Joined when this is ended, for the SDK does not stop a probe at once.
    this.#connecting = negotiation.catch(() => {});
    return await untilAborted(negotiation, signal);
  }

  /** From now on the loss of the server ends what stands on it. */
  carry(top: OnLink): void {
    this.#top = top;
    if (this.tap.closed) queueMicrotask(() => this.lose());
    // A pipe is read to its end and then says that it is closed, for there may be an answer in it. Over HTTP, the wire
    // of a container does not notice that the container is gone.
    else if (this.opened.transport !== 'stdio') void this.#watchExit(); // never rejects
  }

  /** Before the negotiation has ended, everything that comes is of 2025. */
  #era(): Era {
    return this.client.getProtocolEra() ?? 'legacy';
  }

  async #watchExit(): Promise<void> {
    await this.opened.exited;
    await atMost(lastAnswers, this.#request.around.clock, this.#ending.promise);
    this.lose();
  }

  /** Takes the server for lost, for that reason: it does not answer, so it is not asked to end anything either. */
  async drop(why: string): Promise<void> {
    this.#why = why;
    await this.tap.close();
  }

  /** Another way to the same server has taken over: only the client is put away. */
  async letGo(): Promise<void> {
    await this.client.close();
    await this.tap.close();
  }

  /** The server went away by itself, or knows us no more: no call is begun on it from now on, and what is left of it goes too. */
  lose(): void {
    const { name } = this.#life.state;
    if (this.#top === undefined || (name !== 'discovering' && name !== 'ready')) return;
    this.#lost = true;
    // A failure stays in the state; the owner's own close tries again (R54).
    this.close().catch(() => {});
  }

  async #end(): Promise<void> {
    this.#life.step('close');
    this.#ending.resolve();
    const { around, deadlines } = this.#request;
    // Before anything is put away, for then every server has an exit code.
    const reason = await this.#tell();
    try {
      await closeWithin({
        budget: deadlines.close,
        clock: around.clock,
        gracefully: signal => this.#endGracefully(signal),
        forcibly: signal => this.opened.closeForcibly(signal),
      });
      this.#life.step('gone', reason);
    } catch (error) {
      this.#life.step('stuck', error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      this.changes.stop();
    }
  }

  async #tell(): Promise<string> {
    const first = this.#lost ? this.#why : 'The server was closed.';
    if (!this.#lost) this.#top?.endCalls(first);
    // No call begins meanwhile, and those under way are told more than that the connection is lost.
    const reason = (this.#lost ? await lastWordsOf(this.opened) : undefined) ?? first;
    if (this.#lost) this.#top?.endCalls(reason);
    this.#top?.tellEnd(reason);
    return reason;
  }

  async #endGracefully(signal: AbortSignal): Promise<void> {
    await atMost(farewell, this.#request.around.clock, this.tap.noticesSent());
    await this.opened.closeGracefully(signal);
    await this.letGo();
    await this.#connecting;
  }
}
