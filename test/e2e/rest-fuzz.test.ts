import Ajv2020 from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { type CortexHome, cortexHome, fixtureServer } from '../fixtures/cortex-home.ts';
import { artifact, digest, tinyRegistry } from '../fixtures/oci-registry.ts';
import {
  type Dictionary,
  type GeneratedRequest,
  type Operation,
  operationsOf,
  requestsOf,
} from '../fixtures/open-api-requests.ts';

/** By hand: `LONGSHORE_FUZZ=2000 npx vitest run test/e2e/rest-fuzz.test.ts`. */
const runs = Number(process.env['LONGSHORE_FUZZ'] ?? 300);

const program = fixtureServer('x', 'two-tools');
const twoToolsArgs = program['args'] as readonly string[];

const dictionary: Dictionary = {
  agent: ['default', 'default', 'default', 'work'],
  name: ['notes', 'other', 'third', 'work', 'claude', 'TOKEN'],
  ref: ['notes', 'notes', 'notes', 'notes', 'other', 'third', 'nobody', 'mcp/none:1'],
  settings: [{}, { allowUnsafe: true }],
  deadlines: [{ open: 3_000 }, { discovery: 2_000, close: 1_000 }],
  env: [{}, { LEVEL: 'high' }, { API_TOKEN: 'sk-0123456789abcdef' }],
  server: ['notes', 'notes', 'other'],
  tool: ['{tool}', 'notes.echo', 'notes__echo', 'notes__none'],
  toolId: ['{tool}', '{toolId}', 'notes.echo', 'mcp:none:echo'],
  args: [twoToolsArgs, [], ['--verbose']],
  arguments: [{}, { text: 'hi' }],
  command: [program['command'] as string, 'no-such-program-of-ours'],
  endpoint: ['http://127.0.0.1:9/mcp'],
  id: ['{approval}', '{approval}', '{rule}', '{rule}', 'none'],
  pattern: ['notes.echo', 'notes.*', '*.*', 'other__echo by operator'],
  handle: ['notes__echo'],
  json: [JSON.stringify({ mcpServers: { third: { command: program['command'], args: twoToolsArgs } } }), '{', '[]'],
  line: ['!mcp-list', '!mcp-load notes', '!mcp-unload notes', '!mcp-search echo', '!mcp-nothing', '"'],
  token: ['{link}', 'lsl_none'],
  caller: ['operator', 'library', 'client:claude'],
  scope: [{}, { servers: ['notes'], risk: 'read-only' }, { tools: ['notes.*'], list: { pins: [] } }, { manages: true }],
  patience: [0, 1],
  idleTimeout: [2_000],
  totalTimeout: [2_000],
  'last-event-id': ['none.1'],
};

describe('the REST API against its own document', () => {
  let home: CortexHome;
  let registry: Awaited<ReturnType<typeof tinyRegistry>>;
  let document: JsonObject;
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => void unhandled.push(error);
  const failures: string[] = [];

  beforeAll(async () => {
    process.on('unhandledRejection', onUnhandled);
    const { layer, manifest } = artifact(3);
    registry = await tinyRegistry({
      '/v2/mcp/cat/manifests/1': manifest,
      [`/v2/mcp/cat/blobs/${digest(layer)}`]: layer,
    });
    home = await cortexHome({
      // No engine is to be asked for images that are made up.
      env: { ...process.env, DOCKER_HOST: 'tcp://127.0.0.1:9', KESTREL_MCP_DOCKER_CATALOG: registry.reference },
      deadlines: { open: 3_000, discovery: 3_000, close: 2_000 },
      log: {
        debug() {},
        info() {},
        warn() {},
        error: (fields, message) =>
          void failures.push(`${message} ${String(('err' in fields && (fields.err as Error).stack) || '')}`),
      },
    });
    document = (await home.ask('GET', '/api/openapi.json')).body;
    await home.ask('POST', '/api/agents', { body: { name: 'work' } });
    await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('notes', 'two-tools') });
    await home.ask('PUT', '/api/rules', { body: { level: 'allow', pattern: 'notes.echo' } });
  });

  afterAll(async () => {
    await home[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
    process.off('unhandledRejection', onUnhandled);
  });

  /** Puts back what earlier requests took away, so that later ones have something to find. */
  async function settle(): Promise<void> {
    const servers = (await home.ask('GET', '/api/mcp-servers')).body as { name: string; enabled: boolean }[];
    const notes = servers.find(server => server.name === 'notes');
    if (!notes) await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('notes', 'two-tools') });
    else if (!notes.enabled) await home.ask('PATCH', '/api/mcp-servers/notes', { body: { enabled: true } });
    const seen = await home.ask('GET', '/api/tools?tool=notes.echo');
    if (seen.status !== 200) await home.ask('POST', '/api/mcp/load', { body: { ref: 'notes' } });
    const rules = (await home.ask('GET', '/api/rules')).body as { id: string; level: string; pattern: string }[];
    const isOurs = ({ level, pattern }: (typeof rules)[number]) => level === 'allow' && pattern === 'notes.echo';
    // Any other may let every call pass, or none, and then nobody is asked any more.
    for (const rule of rules) if (!isOurs(rule)) await home.ask('DELETE', `/api/rules/${rule.id}`);
    if (!rules.some(isOurs)) {
      await home.ask('PUT', '/api/rules', { body: { level: 'allow', pattern: 'notes.echo' } });
    }
    const tokens = (await home.ask('GET', '/api/tokens')).body as { name: string; revokedAt: number | null }[];
    if (!tokens.some(({ name, revokedAt }) => name === 'work' && revokedAt === null)) {
      await home.ask('POST', '/api/tokens', { body: { name: 'work' } });
    }
    const open = (await home.ask('GET', '/api/approvals')).body as unknown[];
    if (open.length === 0) {
      await home.ask('POST', '/api/tools/invoke', { body: { toolId: 'notes.fail' } });
    }
  }

  /** What placeholders stand for now. */
  async function found(): Promise<Record<string, string>> {
    const approvals = (await home.ask('GET', '/api/approvals')).body as { id: string }[];
    const rules = (await home.ask('GET', '/api/rules')).body as { id: string }[];
    const tools = (await home.ask('GET', '/api/tools?tool=notes.echo')).body as { name: string; toolId: string }[];
    return {
      approval: approvals[0]?.id ?? 'none',
      rule: rules[0]?.id ?? 'none',
      tool: tools[0]?.name ?? 'none',
      toolId: tools[0]?.toolId ?? 'none',
      link: home.cortex.signIns.issue(),
    };
  }

  async function send({ operation, path, headers, body }: GeneratedRequest) {
    await settle();
    const values = await found();
    const filled = (text: string) =>
      text.replaceAll(/\{(approval|rule|toolId|tool|link)\}/g, (_, name: string) => values[name] ?? '');
    const options = { headers, ...(body !== undefined && { body: filled(body) }) };
    const url = filled(path).replaceAll(/\{\w+\}/g, 'x');
    if (operation.path !== '/api/events') return await home.ask(operation.method, url, options);
    const answered = await home.ask(operation.method, url, options);
    await answered.response.body?.cancel();
    return answered;
  }

  it(`answers ${runs} made-up requests without a mistake of its own, each as the document says`, {
    timeout: 60_000 + runs * 600,
  }, async () => {
    const ajv = new Ajv2020.default({ strict: false, allErrors: true });
    ajv.addSchema({ ...document, $id: 'api' });
    const operations = operationsOf(document);
    const succeeded = new Set<string>();

    async function check(request: GeneratedRequest): Promise<void> {
      const { operation } = request;
      const { status, body, response } = await send(request);
      const asked = `${operation.name} ${request.path} ${request.body?.slice(0, 300)}`;
      const told = `${asked} → ${status} ${JSON.stringify(body)?.slice(0, 500)} ${failures.join('\n')}`;
      expect(status, told).not.toBe(500);
      expect(unhandled, told).toEqual([]);
      if (status < 300) succeeded.add(operation.name);
      const answer = operation.answers[String(status)] ?? (status >= 400 ? operation.answers['default'] : undefined);
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      const documented =
        answer === undefined ? !isJson || !isJsonOperation(operation) : ajv.validate(withRefs(answer), body);
      expect(documented, `${told}\n${ajv.errorsText()}`).toBe(true);
    }

    const any = fc.oneof(...operations.map(operation => requestsOf(operation, document, dictionary)));
    await fc.assert(fc.asyncProperty(any, check), { numRuns: runs, endOnFailure: true });
    // Where chance has given an operation nothing that it can do, it is given more of it.
    for (const operation of operations.filter(one => one.succeeds)) {
      const more = fc.sample(requestsOf(operation, document, dictionary), 100);
      for (const request of more) {
        if (succeeded.has(operation.name)) break;
        await check(request);
      }
    }
    const never = operations.filter(({ succeeds, name }) => succeeds && !succeeded.has(name)).map(({ name }) => name);
    // There is no plugin here; test/docker/gateway.test.ts has one.
    expect(never).toEqual(['POST /api/mcp/gateway/start']);
  });
});

/** False for one that answers with a stream or nothing. */
function isJsonOperation({ answers }: Operation): boolean {
  return Object.keys(answers).some(code => code !== 'default');
}

/** A schema of the document whose references lead into the document. */
function withRefs(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/'));
}
