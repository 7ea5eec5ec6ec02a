/**
 * The client that the official harness examines (R80): our production connection code over our production HTTP wire,
 * and nothing beside it. `node client.ts URL` connects, lists everything, then uses everything that was listed, with
 * the arguments that the harness prescribes or else such as the tool's schema asks for. Whatever goes wrong is an
 * exit code other than 0.
 */
import type { Connection } from '../../src/connections/connection.ts';
import { openConnection } from '../../src/connections/open-connection.ts';
import { createAuthority, type Mint } from '../../src/core/authorisation.ts';
import { systemClock } from '../../src/core/clock.ts';
import { defaultDeadlines } from '../../src/core/deadlines.ts';
import { agentId, type InstanceId, randomId, serverKey } from '../../src/core/ids.ts';
import { isJsonObject, type JsonObject } from '../../src/core/json.ts';
import type { CallClient } from '../../src/core/ports/call-client.ts';
import { silentLog } from '../../src/core/ports/log.ts';
import { type VerdictKey, verdictsInMemory } from '../../src/core/ports/verdicts.ts';
import { allRevisions } from '../../src/core/protocol-versions.ts';
import type { Definition, Operation } from '../../src/core/words.ts';
import { remoteRunner } from '../../src/runners/remote.ts';
import { containerGround } from '../fixtures/container-context.ts';
import { sampleArguments } from './sample-arguments.ts';

/** An edge with somebody who accepts every form and fills in nothing, so that its defaults count. */
const accepting: CallClient = {
  identity: 'conformance',
  capabilities: { elicitation: { form: { applyDefaults: true } } },
  ask: questions => {
    const answers = Object.keys(questions).map(key => [key, { action: 'accept', content: {} }] as const);
    return Promise.resolve(Object.fromEntries(answers));
  },
};

/** Scenarios whose server only lists: it knows no calls. */
const onlyLists = new Set(['json-schema-ref-no-deref']);

const { mint, redeem } = createAuthority();
const connection = await connect(process.argv.at(-1) ?? '');
try {
  await useEverything(connection, mint);
} finally {
  await connection.close();
}

async function connect(url: string): Promise<Connection> {
  const refused = (): never => {
    throw new Error('A remote server has nothing to record.');
  };
  return openConnection({
    agentId: agentId('did:key:z6MkConformance'),
    serverKey: serverKey('conformance'),
    open: request =>
      remoteRunner.open({ kind: 'remote', url, transport: 'streamable-http', inferred: false, headers: {} }, request),
    deadlines: defaultDeadlines,
    openWithin: defaultDeadlines.open,
    deadlineName: 'open',
    revisions: allRevisions,
    // A scenario examines one revision: the other side of a server of both is not opened beside it.
    olderSide: 'next-start',
    signal: new AbortController().signal,
    verdicts: verdictsInMemory(),
    verdictKey: 'conformance' as VerdictKey,
    declares: accepting.capabilities,
    client: accepting,
    redeem,
    onPhase: () => undefined,
    around: {
      env: {},
      platform: process.platform,
      homeDir: '/',
      pid: process.pid,
      instance: 'conformance' as InstanceId,
      clock: systemClock,
      randomId,
      log: silentLog,
      ledger: { record: refused, update: refused, forget: refused, list: refused },
      watchdog: {
        markerEnv: refused,
        track: refused,
        untrack: refused,
        assign: refused,
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
      containers: containerGround(),
    },
  });
}

async function useEverything(server: Connection, allow: Mint): Promise<void> {
  const { tools, resources, prompts } = await server.discover(new AbortController().signal);
  if (onlyLists.has(process.env['MCP_CONFORMANCE_SCENARIO'] ?? '')) return;
  const use = async (method: Operation['method'], wireName: string, definition: Definition, args: JsonObject) =>
    server.call(
      allow({
        agentId: server.agentId,
        caller: 'library',
        epoch: server.epoch,
        method,
        wireName,
        arguments: args,
        definition,
      }),
    );
  for (const { tool, args } of prescribedCalls(tools) ??
    tools.map(each => ({ tool: each, args: sampleArguments(each, tools) }))) {
    await use('tools/call', tool.name, tool, args);
  }
  for (const resource of resources) {
    const { uri } = resource;
    if (typeof uri !== 'string') throw new Error(`The resource ${resource.name} has no URI.`);
    await use('resources/read', uri, resource, {});
  }
  for (const prompt of prompts) await use('prompts/get', prompt.name, prompt, {});
}

/** The calls that the harness hands over, if it does. */
function prescribedCalls(tools: readonly Definition[]): readonly { tool: Definition; args: JsonObject }[] | undefined {
  const context: unknown = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
  const calls = isJsonObject(context) ? context['toolCalls'] : undefined;
  if (!Array.isArray(calls)) return undefined;
  return calls.flatMap(call => {
    const wanted = isJsonObject(call) ? call : {};
    const tool = tools.find(({ name }) => name === wanted['name']);
    if (tool === undefined) throw new Error(`The server has no tool ${JSON.stringify(wanted['name'])}.`);
    return { tool, args: isJsonObject(wanted['arguments']) ? wanted['arguments'] : {} };
  });
}
