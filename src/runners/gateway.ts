import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { DockerCli } from '../docker/docker-cli.ts';
import { type Child, startChild } from './child.ts';
import { linkEngine } from './engine-link.ts';
import { hideSecrets } from './environment.ts';
import { nothingToExplain } from './explanation.ts';
import { removeGateway, removeGatewayContainers } from './gateway-containers.ts';
import { freePort, writeGatewayFiles } from './gateway-files.ts';
import { gatewayReady } from './gateway-ready.ts';
import type { Opened, OpenRequest, Runner } from './runner.ts';
import { createHttpWire, type HttpWire } from './transport/http-wire.ts';

/** The Docker MCP Gateway with some servers of a catalog, secrets resolved. */
export const gatewaySpec = z.readonly(
  z.object({
    kind: z.literal('gateway'),
    /** By name: each server as a catalog file describes it, templates filled. */
    registry: z.readonly(
      z.record(z.string().regex(/^[\w.-]+$/, 'is no name that the gateway takes'), z.looseObject({})),
    ),
    /** By the names that the registry refers to. */
    secrets: z.readonly(z.record(z.string(), z.string())),
  }),
);

/** See `gatewaySpec`. */
export type GatewaySpec = z.infer<typeof gatewaySpec>;

const probeMilliseconds = 20_000;
const connectTimeout = 10_000;
/** A port that was free a moment ago may be taken: then another one is tried. */
const mostPorts = 3;
/** Its input means nothing to it; after SIGTERM it ends its sessions and containers one after another. */
const patience = { afterStdin: 0, afterTerm: 12_000 };
const portTaken = /bind: address already in use/;

/**
 * Starts and supervises `docker mcp gateway run` (R79): on a port of its own on loopback, with a bearer token of its own that
 * is in no argument, with a catalog of exactly the servers that were asked for. It is ready when it answers with that token,
 * and refuses another. Rejects with `command-not-found`, `docker-unavailable` (no plugin), `failed-to-start`, `timeout`,
 * `cancelled` or `close-failed`.
 */
export const gatewayRunner: Runner<GatewaySpec> = {
  spec: gatewaySpec,
  olderSide: 'next-start',
  reclaim: { kind: 'gateway', remove: removeGateway },
  budget: (_, deadlines) => ({ openWithin: deadlines.gatewayStart, deadlineName: 'gatewayStart' }),
  identity: ({ kind, registry, secrets }) => ({ server: { kind, registry: registry as never }, credential: secrets }),
  explain: async ({ kind, registry }) => ({
    ...nothingToExplain,
    kind,
    command: ['docker', ...gatewayArgs(Object.keys(registry), { catalog: '…', secrets: '…', port: 0 })],
    environment: ['MCP_GATEWAY_AUTH_TOKEN'],
    isolation: [
      'Each of its servers is a container of the gateway: no new privileges, one processor and 2 GB, but capabilities, a writable root and the network. Images that Longshore runs itself have less.',
    ],
    risks: [],
    notes: ['The gateway starts a container of each server to list its tools, and one for calls.'],
  }),
  async open(spec, request) {
    request.onPhase('looking-up', 'docker mcp');
    const { cli } = await linkEngine({ program: 'docker', globals: [], env: {} }, request.around);
    const version = await pluginVersion(cli, request.signal);
    for (let tried = 1; ; tried += 1) {
      try {
        return await start(spec, request, cli, version);
      } catch (error) {
        const failure = asLongshoreError(error);
        if (tried >= mostPorts || !portTaken.test(failure.message)) throw failure;
      }
    }
  },
};

/** What the plugin calls itself. `docker mcp --help` succeeds without it too, so that proves nothing. */
async function pluginVersion(cli: DockerCli, signal: AbortSignal): Promise<string> {
  const { code, stdout, stderr } = await cli.run(['mcp', 'version'], { deadline: probeMilliseconds, signal });
  const version = stdout.trim().split('\n')[0] ?? '';
  if (code === 0 && /^v?\d|HEAD/.test(version)) return version;
  const said = stderr.trim().split('\n')[0] ?? '';
  throw new LongshoreError(
    'docker-unavailable',
    `The Docker MCP Gateway is not here: "docker mcp version" failed${said === '' ? '' : ` (${said.slice(0, 200)})`}. Install the plugin (it comes with Docker Desktop), or load single images: longshore load NAME`,
  );
}

function gatewayArgs(
  names: readonly string[],
  { catalog, secrets, port }: { readonly catalog: string; readonly secrets: string; readonly port: number },
): readonly string[] {
  const own = ['--transport=streaming', '--host=127.0.0.1', `--port=${port}`, '--watch=false', '--long-lived'];
  return [
    'mcp',
    'gateway',
    'run',
    `--catalog=${catalog}`,
    `--secrets=${secrets}`,
    `--servers=${names.join(',')}`,
    ...own,
  ];
}

async function start(spec: GatewaySpec, request: OpenRequest, cli: DockerCli, version: string): Promise<Opened> {
  const { agentId, serverKey, around, signal, deadlines } = request;
  const names = Object.keys(spec.registry);
  const files = await writeGatewayFiles(spec, around);
  const token = randomBytes(32).toString('base64url');
  const hide = hideSecrets({ ...spec.secrets, MCP_GATEWAY_AUTH_TOKEN: token });
  const since = around.clock.now();
  const sweep = async (): Promise<void> => {
    await removeGatewayContainers(cli, { names, since }, around);
  };
  let child: Child | undefined;
  try {
    signal.throwIfAborted();
    request.onPhase('starting', `docker mcp gateway (${version})`);
    const port = await freePort();
    child = await startChild({
      kind: 'gateway',
      name: names.join(','),
      agentId,
      serverKey,
      file: cli.program,
      args: [...cli.globals, ...gatewayArgs(names, { ...files, port })],
      env: { ...cli.env, MCP_GATEWAY_AUTH_TOKEN: token },
      hide,
      around,
      patience,
      onStderrLine: line => request.onPhase('starting', hide(line).slice(0, 120)),
    });
    // Nothing is said there in this mode, and a pipe that nobody reads would hold it up.
    child.stdout.resume();
    await child.reached('started');
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    await gatewayReady(url, token, { child, signal, clock: around.clock, budget: deadlines.gatewayStart });
    await child.reached('ready');
    // It has read them; what is secret in them is not kept on the disk, and our sudden death leaves none.
    await files.remove();
    const wire = createHttpWire({
      url,
      headers: { authorization: `Bearer ${token}` },
      connectTimeout,
      clock: around.clock,
    });
    return opened(child, wire, sweep, version);
  } catch (error) {
    const failure = await failureOf(error, child, signal);
    await child?.closeForcibly(new AbortController().signal);
    await files.remove();
    await sweep();
    throw failure;
  }
}

function opened(child: Child, wire: HttpWire, sweep: () => Promise<void>, version: string): Opened {
  return {
    wire,
    transport: 'streamable-http',
    exited: child.exited,
    stderrTail: () => child.stderr.tail(),
    stderrCount: () => child.stderr.count(),
    diagnostics: () => [{ code: 'gateway-version', message: `The gateway is ${version}.`, data: { version } }],
    async closeGracefully(signal) {
      // Long-lived containers belong to our session and end with it; without its end they stay until the gateway is gone.
      await wire.endSession(signal).catch(() => undefined);
      await wire.close();
      await child.closeGracefully(signal);
      await sweep();
    },
    async closeForcibly(signal) {
      await wire.close();
      await child.closeForcibly(signal);
      await sweep();
    },
  };
}

/** Why it is not ready, in the gateway's own words where it ended. */
async function failureOf(error: unknown, child: Child | undefined, signal: AbortSignal): Promise<LongshoreError> {
  if (signal.aborted) return asLongshoreError(signal.reason, 'cancelled');
  const exit = child?.exit();
  if (child === undefined || exit === undefined) return asLongshoreError(error);
  // Its last line may come after its end.
  await child.stderr.drained();
  const lines = child.stderr.tail();
  const collision = lines.find(line => line.includes('tool name collision'));
  const said = (collision ?? lines.at(-1) ?? '').trim().slice(0, 500);
  const how = exit.how === 'exited' ? `exited with code ${exit.code}` : 'was ended';
  const advice = collision === undefined ? '' : ' Start one of the two without the gateway: longshore load NAME';
  return new LongshoreError('failed-to-start', `The Docker MCP Gateway ${how} before it was ready: ${said}${advice}`, {
    cause: error,
    data: { stderr: lines.slice(-20) },
  });
}
