import type { Clock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { clientInfo } from '../../core/version.ts';
import { type Answer, askOn } from './probe-asking.ts';
import { commonVersion, legacyVersions, modernVersions, noCommonVersion } from './protocol-versions.ts';
import type { StdioWire } from './stdio-wire.ts';

/**
 * What negotiation in place learned on a stdio wire. `initialize` is the verbatim InitializeResult where the pipelined
 * handshake was what the server answered; the connection then answers the SDK's own initialize from it.
 */
export type ProbeAnswer =
  | { readonly era: 'modern'; readonly discover: JsonObject; readonly cacheable: true }
  | { readonly era: 'legacy'; readonly initialize?: JsonObject; readonly cacheable: boolean };

/** What one negotiation is told. */
export interface ProbeOptions {
  /** Client capabilities to declare. */
  readonly capabilities: JsonObject;
  /** Which question goes first: `initialize` where an earlier start found a legacy server. */
  readonly first: 'discover' | 'initialize';
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Milliseconds without an answer to `server/discover` before `initialize` is sent too. */
const silence = 1000;
const unsupportedVersion = -32_022;

/**
 * Finds out in place which era the server speaks: `server/discover`, and after 1 s of silence `initialize` too;
 * whichever is answered decides (protocol.md 1, era detection), but where both were sent, `initialize` has the last word. Swallows late answers to its own requests; everything
 * else waits on the wire for its next consumer. A verdict is cacheable only if the server answered the question
 * about `discover`. Never sends `notifications/initialized`: that belongs to the SDK.
 *
 * Rejects with `no-common-version`, `protocol-error`, the signal's reason, or `connection-lost` where the wire closed
 * (`data.answered` says whether the server had answered anything by then).
 */
export async function probe(wire: StdioWire, options: ProbeOptions): Promise<ProbeAnswer> {
  const { capabilities, clock, signal } = options;
  signal.throwIfAborted();
  const verdict = Promise.withResolvers<ProbeAnswer>();
  const settled = new AbortController();
  const asking = askOn(wire, verdict.reject);
  let discoverSent = 0;
  let refusedDiscover: string | undefined;
  let initializeSent = false;
  let refusedInitialize: string | undefined;
  let lateModern: ProbeAnswer | undefined;

  function discover(): void {
    discoverSent++;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': modernVersions[0],
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    asking.ask('server/discover', { _meta }, onDiscover);
  }

  function initialize(): void {
    if (initializeSent) return;
    initializeSent = true;
    asking.ask('initialize', { protocolVersion: legacyVersions[0], capabilities, clientInfo }, onInitialize);
  }

  function onDiscover(answer: Answer): void {
    const found = judgeDiscover(answer);
    if (found === 'modern') onModern({ era: 'modern', discover: answer.result ?? {}, cacheable: true });
    else if (found === 'retry' && discoverSent === 1) discover();
    else if (found instanceof LongshoreError) verdict.reject(found);
    else {
      refusedDiscover = answer.error?.message ?? 'an answer that is no DiscoverResult';
      if (refusedInitialize === undefined) initialize();
      else refuse();
    }
  }

  function onModern(answer: ProbeAnswer): void {
    if (!initializeSent || refusedInitialize !== undefined) return verdict.resolve(answer);
    // A server that speaks both and was only slow to start will read `initialize` next, and may then stay with it:
    // one of the official SDK does, and would take every later request of 2026 for one of 2025.
    lateModern = answer;
    clock.sleep(silence, settled.signal).then(
      () => verdict.resolve(answer),
      () => undefined, // rejects only once all is settled
    );
  }

  function onInitialize(answer: Answer): void {
    if (answer.result !== undefined) {
      const version = answer.result['protocolVersion'];
      const theirs = typeof version === 'string' ? [version] : [];
      if (commonVersion(legacyVersions, theirs) === undefined) verdict.reject(noCommonVersion(theirs));
      else {
        verdict.resolve({ era: 'legacy', initialize: answer.result, cacheable: refusedDiscover !== undefined });
      }
      return;
    }
    refusedInitialize = answer.error.message;
    if (lateModern !== undefined) return verdict.resolve(lateModern);
    const theirs = supportedVersions(answer);
    if (refusedDiscover === undefined) {
      if (discoverSent === 0) discover();
    } else if (theirs === undefined) refuse();
    else verdict.reject(noCommonVersion(theirs));
  }

  function refuse(): void {
    const message = `The server refused both handshakes: server/discover with “${refusedDiscover}”, initialize with “${refusedInitialize}”.`;
    verdict.reject(new LongshoreError('protocol-error', `${message} Look at its log.`));
  }

  const abort = (): void => verdict.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (options.first === 'discover') {
    discover();
    clock.sleep(silence, settled.signal).then(initialize, () => undefined); // rejects only once all is settled
  } else {
    initialize();
  }
  try {
    const answer = await verdict.promise;
    asking.swallowRest();
    return answer;
  } catch (error) {
    asking.stop();
    throw error;
  } finally {
    settled.abort();
    signal.removeEventListener('abort', abort);
  }
}

/** `retry`: the server names a version of ours, although it refused it. */
function judgeDiscover(answer: Answer): 'modern' | 'legacy' | 'retry' | LongshoreError {
  if (answer.error !== undefined && answer.error.code !== unsupportedVersion) return 'legacy';
  const theirs = supportedVersions(answer);
  if (theirs === undefined) return 'legacy';
  if (commonVersion(modernVersions, theirs) !== undefined) {
    if (answer.error !== undefined) return 'retry';
    return isJsonObject(answer.result['capabilities']) ? 'modern' : 'legacy';
  }
  return commonVersion(legacyVersions, theirs) === undefined ? noCommonVersion(theirs) : 'legacy';
}

/** The list that a DiscoverResult or a version error carries; `undefined` if there is none. */
function supportedVersions(answer: Answer): readonly string[] | undefined {
  const data = answer.result?.['supportedVersions'] ?? (answer.error?.data as JsonObject | undefined)?.['supported'];
  return Array.isArray(data) && data.every(version => typeof version === 'string') ? data : undefined;
}
