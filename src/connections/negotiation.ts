import { type Client, type ConnectOptions, ProtocolError } from '@modelcontextprotocol/client';
import { LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Verdict } from '../core/ports/verdicts.ts';
import { commonVersion, noCommonVersion, type Revisions } from '../core/protocol-versions.ts';
import type { Era } from '../core/words.ts';
import type { Opened } from '../runners/runner.ts';
import { discoverForSdk } from '../runners/transport/sdk-copies.ts';
import type { Greeting, Tap } from '../runners/transport/tap.ts';

/** What both sides agreed on. */
export interface Agreement {
  readonly era: Era;
  readonly protocolVersion: string;
  /** What the server said about itself, verbatim. */
  readonly greeting: Greeting;
  /** True where a remembered modern verdict was believed without asking: the first real request has to prove it. */
  readonly unproven: boolean;
  /** What is worth remembering, if anything (a verdict from silence is not). */
  readonly verdict: Verdict | undefined;
}

/** How the SDK is to begin. */
type Beginning =
  | { readonly kind: 'ask' }
  | { readonly kind: 'legacy'; readonly remembered: boolean }
  | { readonly kind: 'modern'; readonly discover: JsonObject; readonly remembered: boolean };

/**
 * Agrees on a protocol version (R44): on stdio from what the runner's probe learned, elsewhere by asking, or by what an
 * earlier start learned. Rejects with `no-common-version`, or with whatever the SDK threw; the wire may be closed then.
 * The signal does not end the SDK's own probe: whoever aborts closes the tap too.
 */
export async function negotiate(
  client: Client,
  tap: Tap,
  opened: Pick<Opened, 'probe' | 'transport'>,
  { remembered, revisions }: { readonly remembered: Verdict | undefined; readonly revisions: Revisions },
  signal: AbortSignal,
): Promise<Agreement> {
  const beginning = chooseBeginning(opened, remembered, revisions);
  try {
    await client.connect(tap, connectOptions(beginning, signal));
  } catch (error) {
    throw disagreement(error, tap, revisions) ?? error;
  }
  const protocolVersion = client.getNegotiatedProtocolVersion();
  const era = client.getProtocolEra();
  const greeting =
    beginning.kind === 'modern' ? ({ method: 'server/discover', result: beginning.discover } as const) : tap.greeting;
  if (protocolVersion === undefined || era === undefined || greeting === undefined) {
    throw new LongshoreError('protocol-error', 'The server answered, but the negotiation came to no result.');
  }
  const isRemembered = beginning.kind !== 'ask' && beginning.remembered;
  const { probe } = opened;
  // What is remembered is not written again, for then it would never expire.
  const worthKeeping = !isRemembered && (probe === undefined || probe.cacheable);
  return {
    era,
    protocolVersion,
    greeting,
    unproven: isRemembered && era === 'modern',
    verdict: worthKeeping ? verdictOf(era, greeting) : undefined,
  };
}

function chooseBeginning(
  { probe, transport }: Pick<Opened, 'probe' | 'transport'>,
  remembered: Verdict | undefined,
  revisions: Revisions,
): Beginning {
  if (probe === undefined && revisions.modern.length === 0) return { kind: 'legacy', remembered: false };
  if (probe?.era === 'legacy') return { kind: 'legacy', remembered: false };
  const known = probe ?? remembered;
  if (known?.era === 'modern') {
    const { discover } = known;
    const theirs = textsOf(discover.supportedVersions);
    const isRemembered = remembered?.era === 'modern' && remembered.discover === discover;
    if (commonVersion(revisions.modern, theirs) !== undefined) {
      return { kind: 'modern', discover, remembered: isRemembered };
    }
    if (commonVersion(revisions.legacy, theirs) === undefined) throw noCommonVersion(theirs, revisions);
    return { kind: 'legacy', remembered: isRemembered };
  }
  // The two-endpoint transport of 2024 knows no probe: an error to its POST would be the end of it.
  if (transport === 'sse') return { kind: 'legacy', remembered: false };
  return known?.era === 'legacy' ? { kind: 'legacy', remembered: true } : { kind: 'ask' };
}

function connectOptions(beginning: Beginning, signal: AbortSignal): ConnectOptions {
  // Our own deadline ends it.
  const options = { signal, timeout: 2_147_483_647 };
  if (beginning.kind === 'ask') return options;
  if (beginning.kind === 'legacy') return { ...options, prior: { kind: 'legacy' } };
  const discover = discoverForSdk(beginning.discover) as NonNullable<ReturnType<Client['getDiscoverResult']>>;
  return { ...options, prior: { kind: 'modern', discover } };
}

/** The error that names both sets of versions, where that is what went wrong (R44). */
function disagreement(error: unknown, { greeting, refusal }: Tap, revisions: Revisions): LongshoreError | undefined {
  const said = [
    error instanceof ProtocolError ? supportedIn(error.data) : [],
    supportedIn(refusal?.data),
    greeting?.method === 'initialize' ? textsOf([greeting.result.protocolVersion]) : [],
    greeting?.method === 'server/discover' ? textsOf(greeting.result.supportedVersions) : [],
  ];
  const foreign = said.find(
    theirs => theirs.length > 0 && commonVersion([...revisions.modern, ...revisions.legacy], theirs) === undefined,
  );
  return foreign && noCommonVersion(foreign, revisions);
}

/** The versions that the data of a version error lists. */
function supportedIn(data: unknown): readonly string[] {
  return isJsonObject(data) ? textsOf(data.supported) : [];
}

function verdictOf(era: Era, greeting: Greeting): Verdict {
  return era === 'modern' ? { era, discover: greeting.result } : { era };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
}
