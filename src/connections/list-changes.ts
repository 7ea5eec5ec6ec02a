import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import type { Diagnostic } from '../core/words.ts';
import { Backoff } from '../lib/backoff.ts';
import { Emitter } from '../lib/emitter.ts';
import { changingLists } from './capabilities.ts';

/** Changes that come in one burst are told once, after that many milliseconds. */
const burst = 300;
/** Where the lists were the same again, the wait doubles up to this; where they did change, up to the shorter one. */
const longestBurst = 60_000;
const longestBusyBurst = 5_000;
/** Milliseconds without a change after which the next is told at once again. */
const quiet = 120_000;
const changeNotices: ReadonlySet<string> = new Set(
  ['tools', 'resources', 'prompts'].map(list => `notifications/${list}/list_changed`),
);
const firstDelay = 1000;
const longestDelay = 60_000;
/** A listen stream that lived that long was not refused; the next one may come at once. */
const settled = 60_000;
const methodNotFound = -32_601;

/** Tells when a server's lists changed (R43). */
export class ListChanges {
  readonly #emitter = new Emitter<[]>();
  readonly #diagnostics: Diagnostic[] = [];
  #timer: NodeJS.Timeout | undefined;
  #untold = false;
  #wait = burst;
  #calm: NodeJS.Timeout | undefined;
  #renewal = new AbortController();

  /** Hears what the server says unasked (2025), and what a listen stream brings (2026-07-28); other notices are overlooked. */
  heard(method: string): void {
    if (changeNotices.has(method)) this.#changed();
  }

  /**
   * Says what came of a change: whether the lists were other ones when they were read again. A server that tells changes
   * for ever is heard ever more rarely, but a change is always told in the end.
   */
  listedAgain(areOthers: boolean): void {
    const longest = areOthers ? longestBusyBurst : longestBurst;
    this.#wait = Math.min(this.#wait * 2, longest);
  }

  /** Keeps a listen stream open until the signal fires; one that the server ended is opened again, ever more slowly. */
  async listen(client: Client, capabilities: JsonObject, clock: Clock, signal: AbortSignal): Promise<void> {
    const filter = Object.fromEntries(changingLists(capabilities).map(name => [`${name}ListChanged`, true]));
    const backoff = new Backoff(firstDelay, longestDelay);
    for (let attempt = 0; !signal.aborted; attempt++) {
      const since = clock.now();
      this.#renewal = new AbortController();
      const renewed = AbortSignal.any([signal, this.#renewal.signal]);
      try {
        const subscription = await client.listen(filter, { signal: renewed, timeout: 15_000 });
        // What changed while nobody listened was not told.
        if (attempt > 0) this.#changed();
        await subscription.closed;
      } catch (error) {
        if (error instanceof ProtocolError && error.code === methodNotFound) return this.#refused();
      }
      if (clock.now() - since >= settled) backoff.reset();
      // An abort ends the loop; nothing else can reject here.
      await clock.sleep(backoff.next(), signal).catch(() => {});
    }
  }

  /** After a time in which nobody may have been heard: opens the listen stream again, and takes the lists for changed. */
  renew(): void {
    this.#renewal.abort();
    this.#changed();
  }

  /** A change that came before anybody listened is told to the first listener. */
  onChanged(listener: () => void): () => void {
    const stop = this.#emitter.on(listener);
    if (this.#untold) this.#changed();
    return stop;
  }

  diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** Tells no more. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#calm);
    this.#emitter.clear();
  }

  #changed(): void {
    this.#untold = true;
    clearTimeout(this.#calm);
    this.#calm = undefined;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#emitter.isEmpty) this.#untold = false;
      if (this.#wait > burst) this.#calm = setTimeout(() => (this.#wait = burst), quiet);
      this.#emitter.emit();
    }, this.#wait);
  }

  #refused(): void {
    const message = 'The server says that its lists can change, but does not tell when. Reload it to see changes.';
    this.#diagnostics.push({ code: 'changes-untold', message });
  }
}
