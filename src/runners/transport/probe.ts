import type { Clock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { allRevisions, commonVersion, noCommonVersion, type Revisions } from '../../core/protocol-versions.ts';
import { clientInfo } from '../../core/version.ts';
import { namedIn } from './named-revision.ts';
import { type Answer, type Asking, askOn } from './probe-asking.ts';
import type { StdioWire } from './stdio-wire.ts';

/**
 * What negotiation in place learned on a stdio wire. `initialize` is the verbatim InitializeResult where the pipelined
 * handshake was what the server answered; the connection then answers the SDK's own initialize from it.
 */
export type ProbeAnswer =
  | { readonly era: 'modern'; readonly discover: JsonObject; readonly cacheable: true }
  | { readonly era: 'legacy'; readonly initialize?: JsonObject; readonly cacheable: boolean };

/**
 * A server of both eras that was slow to start and has answered both handshakes: which of them it goes by now is
 * unknown, so it is to be started anew and asked for `server/discover` alone.
 */
export interface BothAnswered {
  readonly era: 'both';
}

/** What one negotiation is told. */
export interface ProbeOptions {
  /** Client capabilities to declare. */
  readonly capabilities: JsonObject;
  /** Which question goes first: `initialize` where an earlier start found a legacy server. */
  readonly first: 'discover' | 'initialize';
  /** Milliseconds without an answer to `server/discover` before `initialize` is sent too (default 1 s). */
  readonly patience?: number;
  /** Default: all. */
  readonly revisions?: Revisions;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const silence = 1000;
/** Milliseconds that the answer to `server/discover` may come behind that to `initialize`, where both were asked. */
const discoverLag = 250;
/** The same the other way round: `initialize` was sent later. */
const initializeLag = 1000;
const unsupportedVersion = -32_022;

/**
 * Finds out in place which era the server speaks: `server/discover`, and after a second of silence `initialize` too.
 * A server that answers both was only slow to start, and the era must not depend on
 * that: see `BothAnswered`. Swallows late answers to its own requests; everything else waits on the wire for its next
 * consumer. A verdict is cacheable only if the server answered the question about `discover`. Never sends
 * `notifications/initialized`: that belongs to the SDK.
 *
 * Rejects with `no-common-version`, `protocol-error`, the signal's reason, or `connection-lost` where the wire closed
 * (`data.answered` says whether the server had answered anything by then).
 */
export async function probe(wire: StdioWire, options: ProbeOptions): Promise<ProbeAnswer | BothAnswered> {
  const { signal } = options;
  signal.throwIfAborted();
  const probing = new Probe(wire, options);
  const abort = (): void => probing.fail(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await probing.run();
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** One negotiation in place, from its first question to its verdict. */
class Probe {
  readonly #options: ProbeOptions;
  readonly #revisions: Revisions;
  readonly #verdict = Promise.withResolvers<ProbeAnswer | BothAnswered>();
  readonly #settled = new AbortController();
  readonly #asking: Asking;
  #discoverSent = 0;
  #refusedDiscover: string | undefined;
  #initializeSent = false;
  #namedAsked = false;
  #refusedInitialize: string | undefined;
  #modern: ProbeAnswer | undefined;
  #legacy: ProbeAnswer | undefined;

  constructor(wire: StdioWire, options: ProbeOptions) {
    this.#options = options;
    this.#revisions = options.revisions ?? allRevisions;
    this.#asking = askOn(wire, this.#verdict.reject);
  }

  fail(reason: unknown): void {
    this.#verdict.reject(reason);
  }

  async run(): Promise<ProbeAnswer | BothAnswered> {
    const { first, patience = silence } = this.#options;
    if (this.#revisions.modern.length === 0 || first === 'initialize') this.#initialize();
    else {
      this.#discover();
      if (Number.isFinite(patience)) this.#after(patience, () => this.#initialize());
    }
    try {
      const answer = await this.#verdict.promise;
      this.#asking.swallowRest();
      return answer;
    } catch (error) {
      this.#asking.stop();
      throw error;
    } finally {
      this.#settled.abort();
    }
  }

  #after(milliseconds: number, act: () => void): void {
    this.#options.clock.sleep(milliseconds, this.#settled.signal).then(act, () => undefined); // rejects only once all is settled
  }

  #discover(): void {
    this.#discoverSent++;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': this.#revisions.modern[0],
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': this.#options.capabilities,
    };
    this.#asking.ask('server/discover', { _meta } as JsonObject, answer => this.#onDiscover(answer));
  }

  #initialize(): void {
    const [protocolVersion] = this.#revisions.legacy;
    if (this.#initializeSent || protocolVersion === undefined) return;
    this.#initializeSent = true;
    this.#sendInitialize(protocolVersion);
  }

  /** The newest revision, beside the one that was asked for, that a refusal names. */
  #namedRevision({ error }: Answer): string | undefined {
    return namedIn(`${error?.message} ${JSON.stringify(error?.data)}`, this.#revisions.legacy);
  }

  #sendInitialize(protocolVersion: string): void {
    const { capabilities } = this.#options;
    this.#asking.ask('initialize', { protocolVersion, capabilities, clientInfo }, answer => this.#onInitialize(answer));
  }

  #onDiscover(answer: Answer): void {
    const found = judgeDiscover(answer, this.#revisions);
    if (found === 'modern') this.#onModern({ era: 'modern', discover: answer.result ?? {}, cacheable: true });
    else if (found === 'retry' && this.#discoverSent === 1) this.#discover();
    else if (found instanceof LongshoreError) this.#verdict.reject(found);
    else {
      this.#refusedDiscover = answer.error?.message ?? 'an answer that is no DiscoverResult';
      if (this.#legacy !== undefined) this.#verdict.resolve({ ...this.#legacy, cacheable: true } as ProbeAnswer);
      else if (this.#refusedInitialize !== undefined || this.#revisions.legacy.length === 0) this.#refuse();
      else this.#initialize();
    }
  }

  #onModern(answer: ProbeAnswer): void {
    if (this.#legacy !== undefined) return this.#verdict.resolve({ era: 'both' });
    if (!this.#initializeSent || this.#refusedInitialize !== undefined) return this.#verdict.resolve(answer);
    // It will read `initialize` next, and may then stay with that: one of the official SDK does, and would take every
    // later request of 2026 for one of 2025.
    this.#modern = answer;
    this.#after(initializeLag, () => this.#verdict.resolve(answer));
  }

  #onInitialize(answer: Answer): void {
    if (answer.result === undefined) return this.#onRefusedInitialize(answer);
    const version = answer.result['protocolVersion'];
    const theirs = typeof version === 'string' ? [version] : [];
    if (commonVersion(this.#revisions.legacy, theirs) === undefined) {
      return this.#verdict.reject(noCommonVersion(theirs, this.#revisions));
    }
    if (this.#modern !== undefined) return this.#verdict.resolve({ era: 'both' });
    const refused = this.#refusedDiscover !== undefined;
    const legacy: ProbeAnswer = { era: 'legacy', initialize: answer.result, cacheable: refused };
    if (refused || this.#discoverSent === 0) return this.#verdict.resolve(legacy);
    this.#legacy = legacy;
    this.#after(discoverLag, () => this.#verdict.resolve(legacy));
  }

  #onRefusedInitialize(answer: Answer): void {
    const named = this.#modern === undefined && !this.#namedAsked ? this.#namedRevision(answer) : undefined;
    if (named !== undefined) {
      this.#namedAsked = true;
      return this.#sendInitialize(named);
    }
    this.#refusedInitialize = answer.error?.message ?? '';
    if (this.#modern !== undefined) return this.#verdict.resolve(this.#modern);
    const theirs = supportedVersions(answer);
    if (this.#refusedDiscover === undefined && this.#revisions.modern.length > 0) {
      if (this.#discoverSent === 0) this.#discover();
    } else if (theirs === undefined) this.#refuse();
    else this.#verdict.reject(noCommonVersion(theirs, this.#revisions));
  }

  #refuse(): void {
    const refusals = [
      ...(this.#refusedDiscover === undefined ? [] : [`server/discover with “${this.#refusedDiscover}”`]),
      ...(this.#refusedInitialize === undefined ? [] : [`initialize with “${this.#refusedInitialize}”`]),
    ];
    const which = refusals.length > 1 ? 'both handshakes' : 'the handshake';
    this.#verdict.reject(
      new LongshoreError('protocol-error', `The server refused ${which}: ${refusals.join(', ')}. Look at its log.`),
    );
  }
}

/** `retry`: the server names a version of ours, although it refused it. */
function judgeDiscover(answer: Answer, { modern, legacy }: Revisions): 'modern' | 'legacy' | 'retry' | LongshoreError {
  if (answer.error !== undefined && answer.error.code !== unsupportedVersion) return 'legacy';
  const theirs = supportedVersions(answer);
  if (theirs === undefined) return 'legacy';
  if (commonVersion(modern, theirs) !== undefined) {
    if (answer.error !== undefined) return 'retry';
    return isJsonObject(answer.result['capabilities']) ? 'modern' : 'legacy';
  }
  return commonVersion(legacy, theirs) === undefined ? noCommonVersion(theirs, { modern, legacy }) : 'legacy';
}

/** The list that a DiscoverResult or a version error carries; `undefined` if there is none. */
function supportedVersions(answer: Answer): readonly string[] | undefined {
  const data = answer.result?.['supportedVersions'] ?? (answer.error?.data as JsonObject | undefined)?.['supported'];
  return Array.isArray(data) && data.every(version => typeof version === 'string') ? data : undefined;
}
