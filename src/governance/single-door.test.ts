import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { alice, endOf, files, governedWorld, tool } from '../../test/fixtures/governed-world.ts';
import { recordingConnection } from '../../test/fixtures/recording-connection.ts';
import type { Connection } from '../connections/connection.ts';
import { type Authorisation, createAuthority } from '../core/authorisation.ts';
import type { Epoch } from '../core/ids.ts';
import type { Operation } from '../core/words.ts';

const source = join(import.meta.dirname, '..');
const program = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .toSorted()
  .map(file => ({ file: file.replaceAll('\\', '/'), text: readFileSync(join(source, file), 'utf8') }));

describe('the one door', () => {
  it('R36: an authorisation forged in any of eight ways is refused, and nothing is sent', async () => {
    const { mint, redeem } = createAuthority();
    const stranger = createAuthority();
    const operation: Operation = {
      agentId: alice,
      caller: 'library',
      epoch: 'e1' as Epoch,
      method: 'tools/call',
      wireName: 'write',
      arguments: {},
      definition: tool('write'),
    };
    const connection: Connection & { sent: readonly Operation[] } = recordingConnection({
      agentId: alice,
      serverKey: files,
      epoch: operation.epoch,
      redeem,
    });
    const used = mint(operation);
    await connection.call(used);
    const fresh = mint(operation);
    const forgeries: Record<string, unknown> = {
      'a look-alike': Object.freeze({}),
      'the operation itself': operation,
      'a spread copy': { ...fresh },
      'a structured clone': structuredClone(fresh),
      'a descendant': Object.create(fresh),
      'a proxy': new Proxy(fresh, {}),
      'one already used': used,
      'one of another host': stranger.mint(operation),
    };
    for (const [what, forged] of Object.entries(forgeries)) {
      expect([what, await endOf(connection.call(forged as Authorisation))]).toEqual([what, 'forged-authorisation']);
      expect([what, await endOf(connection.subscribe(forged as Authorisation))]).toEqual([
        what,
        'forged-authorisation',
      ]);
    }
    expect(connection.sent.length).toBe(1);
    expect(await endOf(connection.call(fresh))).toBe('ok');
  });

  it('R36: only the dispatch of calls and subscriptions mints, and only the composition root joins the two halves', () => {
    const minting = program.filter(({ text }) => /\bmint\(/.test(text)).map(({ file }) => file);
    expect(minting).toEqual([
      'core/authorisation.ts',
      'governance/dispatch/dispatcher.ts',
      'governance/dispatch/subscriptions.ts',
    ]);
    const joining = program.filter(({ text }) => text.includes('createAuthority(')).map(({ file }) => file);
    expect(joining).toEqual(['core/authorisation.ts', 'host/open-host.ts']);
  });

  it('R36: there is no tool or command that takes the name of a tool as data', () => {
    const generic = /mcp_call_tool|mcp_gateway_call|!mcp-call|!mcp-gateway-call/;
    expect(program.filter(({ text }) => generic.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('R65, R70: a name shows its server and no DID, and is never trimmed, folded or guessed', async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    world.load([tool('read')]);
    expect(world.registry.list(alice).map(handle => handle.handleName)).toEqual(['files__read']);
    for (const name of [
      ' files__read',
      'files__read ',
      '\u00a0files__read',
      'Files__read',
      'files__Read',
      'files.read',
      'read',
    ]) {
      expect([name, await endOf(world.call(name))]).toEqual([name, 'unknown-tool']);
    }
    expect(world.sent()).toEqual([]);
  });

  it('S13: rules and permissions find the same tools after a restart with everything loaded in another order', async () => {
    const odd = ['a.b', 'a/b', 'x'.repeat(200), '🙂', '🙃'];
    async function names(order: readonly string[]) {
      await using world = await governedWorld();
      world.load(order.map(name => tool(name)));
      return new Map(world.registry.list(alice).map(({ wireName, handleName }) => [wireName, handleName]));
    }
    const before = await names(odd);
    const after = await names(odd.toReversed());
    for (const name of odd) expect(after.get(name)).toBe(before.get(name));
    await using world = await governedWorld();
    await world.rule('deny', before.get('a.b') ?? '');
    world.load(odd.toReversed().map(name => tool(name)));
    const ends = await Promise.all(odd.map(name => endOf(world.call(before.get(name) ?? '', {}, { patience: 0 }))));
    expect(ends).toEqual(['denied', ...Array.from({ length: 4 }, () => 'approval-pending')]);
  });

  it('S15: canaries in environment, headers, arguments and results are in no row, question, event or error', async () => {
    await using world = await governedWorld();
    world.redactor.learn(
      ['sk-123', 'canary-env-1', 'canary-header-2'].map((value, index) => ({ name: `KEY_${index}`, value })),
    );
    const seen: unknown[] = [];
    world.approvals.onEvent(event => seen.push(event));
    world.load([tool('write')], {
      answer() {
        throw Object.assign(
          new Error('upstream said: Authorization: Bearer canary-header-2, sk-123 in dXNlcjpjYW5hcnktZW52LTE='),
        );
      },
    });
    const args = {
      note: 'sk-123',
      inner: JSON.stringify({ password: 'canary-arg-3', deep: JSON.stringify({ apiKey: 'canary-arg-4' }) }),
    };
    const call = world.call('files__write', args).catch((error: unknown) => error);
    const question = await world.question();
    seen.push(question);
    await world.approvals.decide(world.operator, alice, question.id, { approve: true });
    const failure = await call;
    await world.recorded();
    seen.push(await world.rows(), await world.approvals.history(alice, 10), inspect(failure, { depth: 9 }));
    // The same secret as the server wrote it, in base64.
    expect(JSON.stringify(seen)).not.toMatch(/sk-123|canary-|Y2FuYXJ5LWVudi0x/);
    expect(world.sent()[0]?.arguments).toEqual(args);
  });
});
