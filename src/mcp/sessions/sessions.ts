import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { McpClient } from '../mcp-client.ts';
import { type Hello, LegacySession } from './legacy-session.ts';
import { type ReplyOptions, ReplyStream } from './reply-stream.ts';
import type { SessionIds } from './session-ids.ts';

/** A 2025 client's session over HTTP, with the streams that it may come back to. */
export interface HttpSession {
  readonly id: string;
  readonly session: LegacySession;
  /** For what belongs to no request: the client's GET. */
  readonly standing: ReplyStream;
  /** The answers that are under way or not read yet, by the name in their event ids. */
  readonly replies: Map<string, ReplyStream>;
}

/** What sessions stand on; times in milliseconds. */
export interface SessionsDeps {
  readonly clock: Clock;
  readonly ids: SessionIds;
  readonly reply: Pick<ReplyOptions, 'silence' | 'keepAlive'>;
  /** A session that nobody uses, and to which nobody listens, ends after that long. */
  readonly idle: number;
  /** At most so many of one client; the one that was idle longest makes room. */
  readonly mostOfOneClient: number;
  onOpened(session: LegacySession): void;
  onClosed(session: LegacySession): void;
}

/** How long the answer of a request whose client lost the stream is kept for it. */
const keptAnswer = 2 * 60_000;

const mostEnded = 10_000;

/** All sessions over HTTP. */
export class Sessions {
  readonly #needs: SessionsDeps;
  readonly #sessions = new Map<string, HttpSession>();
  /** Ids of sessions that ended in this run: they are not taken up again. */
  readonly #ended = new LRUCache<string, true>({ max: mostEnded });
  readonly #sweeper: NodeJS.Timeout;
  readonly #run = randomBytes(6).toString('base64url');
  #replies = 0;

  constructor(needs: SessionsDeps) {
    this.#needs = needs;
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(needs.idle, 60_000));
    this.#sweeper.unref();
  }

  get count(): number {
    return this.#sessions.size;
  }

  open(client: McpClient, hello: Hello): HttpSession {
    return this.#open(client, hello, this.#needs.ids.make(client, hello));
  }

  #open(client: McpClient, hello: Hello, id: string): HttpSession {
    this.#makeRoom(client);
    const standing = new ReplyStream({ ...this.#needs.reply, takesEvents: true, stream: 'standing', headers: {} });
    const session = new LegacySession(client, hello, standing, this.#needs.clock);
    const opened: HttpSession = { id, session, standing, replies: new Map() };
    this.#sessions.set(id, opened);
    this.#needs.onOpened(session);
    return opened;
  }

  /** Only whoever opened it finds it, and only on the path where it was opened; one of an earlier run is taken up again. */
  find(id: string, client: McpClient): HttpSession | undefined {
    const found = this.#sessions.get(id) ?? this.#again(id, client);
    const isOwn = found?.session.client.id === client.id && found.session.client.server === client.server;
    if (!found || !isOwn) return undefined;
    found.session.touch();
    return found;
  }

  /** What its client wanted to hear is forgotten, and what changed meanwhile was not told. */
  #again(id: string, client: McpClient): HttpSession | undefined {
    const hello = this.#ended.has(id) ? undefined : this.#needs.ids.read(id, client);
    if (hello === undefined) return undefined;
    const session = this.#open(client, hello, id);
    for (const list of ['tools', 'resources', 'prompts'])
      session.session.notify(`notifications/${list}/list_changed`, {});
    return session;
  }

  /** A stream for one answer, which the client can resume if it breaks. */
  reply(of: HttpSession, response: ServerResponse, options: Omit<ReplyOptions, 'stream'>): ReplyStream {
    // Never one of an earlier run's, which a client might come back to.
    const name = `${this.#run}${((this.#replies += 1)).toString(36)}`;
    const reply = new ReplyStream({ ...options, stream: name }, response);
    of.replies.set(name, reply);
    response.once('close', () => {
      reply.detach(response);
      this.#letGo(of, name, reply);
    });
    return reply;
  }

  /** The client lost a stream and comes for the rest, or opens the standing one. False if there is nothing of that id. */
  resume(of: HttpSession, lastEventId: string | undefined, response: ServerResponse): boolean {
    const [name = '', number = ''] = lastEventId?.split('.') ?? ['standing'];
    const stream = name === 'standing' ? of.standing : of.replies.get(name);
    if (!stream || !/^\d*$/.test(number)) return false;
    stream.attach(response, number === '' ? undefined : Number(number));
    response.once('close', () => {
      stream.detach(response);
      if (stream !== of.standing) this.#letGo(of, name, stream);
    });
    return true;
  }

  async close(session: HttpSession): Promise<void> {
    if (!this.#sessions.delete(session.id)) return;
    this.#ended.set(session.id, true);
    for (const reply of [session.standing, ...session.replies.values()]) reply.close();
    this.#needs.onClosed(session.session);
    await session.session.close();
  }

  /** Ends those of one client, or all for good. */
  async closeAll(clientId?: string): Promise<void> {
    if (clientId === undefined) clearInterval(this.#sweeper);
    const own = [...this.#sessions.values()].filter(
      ({ session }) => (clientId ?? session.client.id) === session.client.id,
    );
    await Promise.all(own.map(one => this.close(one)));
  }

  #letGo(of: HttpSession, name: string, reply: ReplyStream): void {
    const forget = (): void => void of.replies.delete(name);
    if (reply.ended) forget();
    else if (reply.isResumable) setTimeout(() => reply.attached || forget(), keptAnswer).unref();
    else forget();
  }

  #sweep(): void {
    for (const one of this.#sessions.values()) {
      // Nobody waits for the end of a session that nobody uses.
      if (!one.standing.attached && one.session.idle >= this.#needs.idle) void this.close(one);
    }
  }

  #makeRoom(client: McpClient): void {
    const own = [...this.#sessions.values()].filter(({ session }) => session.client.id === client.id);
    if (own.length < this.#needs.mostOfOneClient) return;
    const [longest] = own
      .filter(one => !one.standing.attached && one.session.idle > 0)
      .sort((one, other) => other.session.idle - one.session.idle);
    if (!longest) {
      throw new LongshoreError('too-many-requests', `${own.length} sessions of this client are in use already.`);
    }
    void this.close(longest); // its own requests have ended already
  }
}
