import { z } from 'zod';
import { LongshoreError } from '../core/errors.ts';
import type { Revisions } from '../core/protocol-versions.ts';
import type { Diagnostic, TransportName } from '../core/words.ts';
import { nothingToExplain } from './explanation.ts';
import type { Opened, OpenRequest, Runner } from './runner.ts';
import { hostAndPort, refusedStatus } from './transport/http-failure.ts';
import { proxyFor } from './transport/http-proxy.ts';
import { isModernRefusal } from './transport/http-refusal.ts';
import { createHttpWire, type HttpWire, type HttpWireOptions } from './transport/http-wire.ts';
import { namedRevision } from './transport/named-revision.ts';
import { createSseWire, isNotSse } from './transport/sse-wire.ts';

const serverUrl = z.string().superRefine((text, context) => {
  const url = URL.parse(text);
  if (url === null) {
    context.addIssue('is not a URL; write it like https://example.com/mcp');
  } else if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    context.addIssue(`must start with http:// or https://, not ${url.protocol}`);
  } else if (url.username !== '' || url.password !== '') {
    context.addIssue(
      'must not hold a user name or password, which would be shown wherever the URL is; give an Authorization header instead',
    );
  }
});

/** A server at a URL. Header values may still be references; they are resolved when it starts. */
export const remoteSpec = z.readonly(
  z.object({
    kind: z.literal('remote'),
    url: serverUrl,
    transport: z.enum(['streamable-http', 'sse']),
    /** True if nobody said which transport it is (R13): then a wrong guess is put right. */
    inferred: z.boolean(),
    headers: z.readonly(z.record(z.string(), z.string())),
  }),
);

/** See `remoteSpec`. */
export type RemoteSpec = z.infer<typeof remoteSpec>;

type HttpTransport = RemoteSpec['transport'];

const title: Readonly<Record<HttpTransport, string>> = { 'streamable-http': 'Streamable HTTP', sse: 'HTTP+SSE' };

/** Milliseconds: what is no part of opening a connection is bounded by the deadlines of the phases. */
const connectTimeout = 10_000;
const endpointTimeout = 5_000;

/** Opens remote servers. Opening makes no contact yet: that is the negotiation's, which the SDK does (R44). */
export const remoteRunner: Runner<RemoteSpec> = {
  spec: remoteSpec,
  olderSide: 'beside',
  budget: (_, deadlines) => ({ openWithin: deadlines.open, deadlineName: 'open' }),
  identity: ({ kind, url, headers }) => ({ server: { kind, url }, credential: headers }),
  explain: async ({ kind, url, headers }) => ({
    ...nothingToExplain,
    kind,
    command: [],
    url,
    environment: [],
    headers: Object.keys(headers),
    isolation: ['It runs elsewhere: it gets what is sent to it, and nothing of this machine.'],
    risks: [],
  }),
  async open(spec, request) {
    if (request.signal.aborted) {
      throw new LongshoreError('cancelled', `The start of ${request.serverKey} was cancelled.`);
    }
    return openWay(spec, request, {
      transport: spec.transport,
      revisions: request.revisions,
      mayBeOther: spec.inferred,
      isGuess: false,
      diagnostics: [],
    });
  },
};

/** One way to a remote server: a transport, and the revisions to ask for. */
interface Way {
  readonly transport: HttpTransport;
  readonly revisions: Revisions;
  /** True if nobody said which transport it is, and the other one was not tried yet. */
  readonly mayBeOther: boolean;
  /** True where this transport is a guess after the other one failed. */
  readonly isGuess: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

function openWay(spec: RemoteSpec, request: OpenRequest, way: Way): Opened {
  const { clock, env } = request.around;
  const url = new URL(spec.url);
  const sent = new Set<string>();
  const wire = wireOf(way.transport, {
    url,
    headers: spec.headers,
    connectTimeout,
    clock,
    proxy: proxyFor(url, env),
    onSend: method => sent.add(method),
  });
  return {
    wire,
    transport: way.transport,
    revisions: way.revisions,
    isGuess: way.isGuess,
    exited: wire.closed.then(() => ({ how: 'closed' })),
    stderrTail: () => [],
    stderrCount: () => 0,
    diagnostics: () => way.diagnostics,
    fallback(cause: unknown) {
      const next = nextWay(url, way, { cause, explained: wire.explain(cause), sent });
      if (next === undefined) return undefined;
      if (next.transport !== way.transport) request.onPhase('switching', title[next.transport]);
      return wire.close().then(() => openWay(spec, request, next));
    },
    async closeGracefully(signal) {
      await sessionEnded(wire, signal);
      await wire.close();
    },
    closeForcibly: () => wire.close(),
  };
}

/** What a negotiation came to. */
interface Disagreement {
  readonly cause: unknown;
  readonly explained: LongshoreError;
  /** The methods that were sent. */
  readonly sent: ReadonlySet<string>;
}

/**
 * The next way to a server after a failed negotiation: `initialize` where only `server/discover` was sent and met
 * anything but a refusal of the credential; `initialize` in the newest common revision that a refusal names; the other
 * transport where the first was a guess.
 */
function nextWay(url: URL, way: Way, { cause, explained, sent }: Disagreement): Way | undefined {
  const { legacy, modern } = way.revisions;
  const refused = refusedStatus(cause);
  if (way.transport === 'streamable-http') {
    const reached = explained.data?.mayHaveRun !== false || refused !== undefined;
    const isDiscover = sent.has('server/discover') && !sent.has('initialize');
    const final =
      explained.code === 'needs-login' || explained.code === 'no-common-version' || isModernRefusal(refused?.text);
    if (isDiscover && reached && !final && legacy.length > 0) return { ...way, revisions: { modern: [], legacy } };
    const named = sent.has('initialize') ? namedRevision(cause, legacy) : undefined;
    if (named !== undefined && (named !== legacy[0] || modern.length > 0)) {
      return { ...way, revisions: { modern: [], legacy: [named] } };
    }
  }
  if (!way.mayBeOther || !isWrongTransport(cause)) return undefined;
  const other = way.transport === 'sse' ? 'streamable-http' : 'sse';
  const diagnostics = [fallbackDiagnostic(url, way.transport, other)];
  return { ...way, transport: other, mayBeOther: false, isGuess: true, diagnostics };
}

function wireOf(transport: HttpTransport, options: HttpWireOptions): HttpWire {
  return transport === 'sse' ? createSseWire({ ...options, endpointTimeout }) : createHttpWire(options);
}

/**
 * True if the server is there and willing, but not with this transport: 400, 404 or 405 without an error that only MCP
 * servers of 2026-07-28 give, or an answer to a GET that is not the legacy transport's stream.
 */
function isWrongTransport(cause: unknown): boolean {
  for (let link = cause; link instanceof Error; link = link.cause) if (isNotSse(link)) return true;
  const refused = refusedStatus(cause);
  return refused !== undefined && [400, 404, 405].includes(refused.status) && !isModernRefusal(refused.text);
}

function fallbackDiagnostic(url: URL, guessed: TransportName & HttpTransport, found: HttpTransport): Diagnostic {
  return {
    code: 'transport-fallback',
    message: `${hostAndPort(url)} was taken for a ${title[guessed]} server from its URL, and speaks ${title[found]}. Save it with transport ${found} to start faster.`,
    data: { guessed, found },
  };
}

/**
 * Tells the server that its session is over. A server that fails at that keeps nothing of ours, so only running out of
 * time counts.
 */
async function sessionEnded(wire: HttpWire, signal: AbortSignal): Promise<void> {
  try {
    await wire.endSession(signal);
  } catch (error) {
    if (!signal.aborted) return;
    throw new LongshoreError('close-failed', 'The server did not confirm the end of its session in time.', {
      cause: error,
    });
  }
}
