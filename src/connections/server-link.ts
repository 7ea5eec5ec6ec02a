import { Client } from '@modelcontextprotocol/client';
import type { Verdict } from '../core/ports/verdicts.ts';
import { clientInfo } from '../core/version.ts';
import type { Opened } from '../runners/runner.ts';
import { legacyVersions, modernVersions } from '../runners/wire/protocol-versions.ts';
import { createTap, type Tap } from '../runners/wire/tap.ts';
import { atMost, closeWithin, joinedClose } from './closing.ts';
import type { ConnectionRequest } from './connection-request.ts';
import { Questions } from './input-requests.ts';
import { lastWordsOf } from './last-words.ts';
import { ListChanges } from './list-changes.ts';
import { type Agreement, negotiate } from './negotiation.ts';
import type { Life } from './state-machine.ts';
import { untilAborted } from './until-aborted.ts';

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
  pauseCalls(): () => void;
}

/** One opened server with the SDK's client on its wire: what a start builds, and what is ended as a whole. */
export class ServerLink {
  readonly opened: Opened;
  readonly tap: Tap;
  readonly client: Client;
  readonly questions: Questions;
  readonly changes = new ListChanges();
  /** Ends it (R51-R54). Whoever asks meanwhile joins; after a failure the next one tries again. */
  readonly close = joinedClose(() => this.#end());
  readonly #request: ConnectionRequest;
  readonly #life: Life;
  #connecting: Promise<unknown> = Promise.resolve();
  #top: OnLink | undefined;
  #lost = false;
  readonly #ending = Promise.withResolvers<void>();

  constructor(opened: Opened, request: ConnectionRequest, life: Life) {
    const { inputRequests, around, agentId, serverKey } = request;
    this.opened = opened;
    this.#request = request;
    this.#life = life;
    this.tap = createTap(opened.wire, {
      initialize: opened.probe?.era === 'legacy' ? opened.probe.initialize : undefined,
      onClosed: () => this.#lose(),
      onFault: ({ name }) => around.log.debug({ serverKey, fault: name }, 'fault on a wire'),
    });
    this.client = new Client(clientInfo, {
      capabilities: inputRequests.capabilities,
      supportedProtocolVersions: [...modernVersions, ...legacyVersions],
      versionNegotiation: { mode: 'auto' },
      // Rounds of input are ours, because only we can stop a call's clock meanwhile.
      inputRequired: { autoFulfill: false },
    });
    this.questions = new Questions(inputRequests, { agentId, serverKey });
    this.questions.answerPushed(this.client, this.tap, () => this.#top?.pauseCalls() ?? (() => {}));
    this.changes.hear(this.client);
  }

  /** See `negotiate`; rejects with the signal's reason as soon as it fires. */
  async negotiate(remembered: Verdict | undefined, signal: AbortSignal): Promise<Agreement> {
    const negotiation = negotiate(this.client, this.tap, this.opened, remembered, signal);
    // Joined when this is ended, for the SDK does not stop a probe at once.
    this.#connecting = negotiation.catch(() => {});
    return await untilAborted(negotiation, signal);
  }

  /** From now on the loss of the server ends what stands on it. */
  carry(top: OnLink): void {
    this.#top = top;
    if (this.tap.closed) queueMicrotask(() => this.#lose());
    // A pipe is read to its end and then says that it is closed, for there may be an answer in it. Over HTTP, the wire
    // of a container does not notice that the container is gone.
    else if (this.opened.transport !== 'stdio') void this.#watchExit(); // never rejects
  }

  async #watchExit(): Promise<void> {
    await this.opened.exited;
    await atMost(lastAnswers, this.#request.around.clock, this.#ending.promise);
    this.#lose();
  }

  /** Another way to the same server has taken over: only the client is put away. */
  async letGo(): Promise<void> {
    await this.client.close();
    await this.tap.close();
  }

  /** The server went away by itself. Whatever is left of it goes too. */
  #lose(): void {
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
    const first = this.#lost ? 'The connection to the server was lost.' : 'The server was closed.';
    this.#top?.endCalls(first);
    const reason = (this.#lost ? await lastWordsOf(this.opened) : undefined) ?? first;
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
