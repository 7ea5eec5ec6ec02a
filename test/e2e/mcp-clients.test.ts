import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientProgram, clientPrograms, provideClients } from '../clients/programs.ts';
import { clientKinds, openClient, type Target } from '../fixtures/mcp-clients.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';
import { eventually, root, systemNode } from './run-longshore.ts';

const long = 120_000;

const missing = await provideClients();

/** The official SDKs, used as a program of one call each. */
const sdkPrograms = clientKinds.map(
  (kind): ClientProgram => ({
    name: `the client of SDK ${kind}`,
    async tools(target) {
      await using client = await openClient(kind, target);
      return (await client.tools()).map(({ name }) => name);
    },
    async call(target, tool, args) {
      await using client = await openClient(kind, target);
      return (await client.call(tool, args)).content[0].text;
    },
  }),
);

const programs = [...sdkPrograms, ...(missing === undefined ? clientPrograms : [])];

let home: McpHome;
let targets: Readonly<Record<'HTTP' | 'stdio', Target>>;

beforeAll(async () => {
  home = await mcpHome();
  await home.save('free', stdioFixture('two-tools'));
  await home.save('held', stdioFixture('two-tools'));
  await home.allow('free.*');
  const { name, token } = await home.caller('client');
  targets = {
    HTTP: { url: `${home.origin}/mcp`, token },
    stdio: {
      command: systemNode(),
      args: [`${root}/bin/longshore.js`, 'mcp', '--caller', name],
      env: home.home.env,
    },
  };
});
afterAll(() => home?.[Symbol.asyncDispose]());

/** Approves the next question, whoever asks it. */
async function approveNext(): Promise<void> {
  const found = await eventually(async () => {
    const [question] = await home.rest('GET', '/api/approvals');
    if (question === undefined) return false;
    await home.rest('POST', `/api/approvals/${question.id}`, { approve: true });
    return true;
  }, 60_000);
  if (!found) throw new Error('Nobody asked.');
}

const transports = ['HTTP', 'stdio'] as const;

describe.each(transports.flatMap(transport => programs.map(program => ({ transport, ...program }))))(
  '$name over $transport',
  ({ transport, tools, call }) => {
    it(
      'lists the tools and calls one',
      async () => {
        expect(await tools(targets[transport])).toEqual(
          expect.arrayContaining(['free__echo', 'free__fail', 'held__echo', 'held__fail']),
        );
        expect(await call(targets[transport], 'free__echo', { text: 'ahoy' })).toBe('ahoy');
      },
      long,
    );
  },
);

// The programs take long to load; over stdio the clients of the SDKs stand for them.
const holding = [
  ...programs.map(program => ({ transport: 'HTTP' as const, ...program })),
  ...sdkPrograms.map(program => ({ transport: 'stdio' as const, ...program })),
];

describe.each(holding)('a held call of $name over $transport', ({ transport, call }) => {
  it(
    'is approved meanwhile, and its caller gets the result',
    async () => {
      const [said] = await Promise.all([call(targets[transport], 'held__echo', { text: 'patience' }), approveNext()]);
      expect(said).toBe('patience');
    },
    long,
  );
});
