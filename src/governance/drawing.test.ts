import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alice, endOf, governedWorld, tool } from '../../test/fixtures/governed-world.ts';
import { manualClock } from '../../test/fixtures/manual-clock.ts';
import { LongshoreError } from '../core/errors.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/governance.md'), 'utf8');
const drawing = /```\ndispatch\(call, signal\)\n([\s\S]*?)```/.exec(page)?.[1] ?? '';

/** The way outs of the drawing: the words below its first line, with the one that is broken over two lines put together. */
const drawn = drawing
  .split('\n')
  .slice(1)
  .flatMap(line => line.split(/[│◀┘─\s]+/))
  .filter(word => word !== '')
  .map(word => (word === 'cannot-' ? 'cannot-record' : word))
  .filter(word => word !== 'record');

/** What the table below it says: the word, the codes, and the decision. */
const told = new Map(
  Array.from(
    page.matchAll(/^\| `([a-z-]+)` \| (.+?) \| (.+?) \| .+ \|$/gm),
    ([, word = '', codes = '', decision = '']) => [
      word,
      { codes: [...codes.matchAll(/`([a-z-]+)`/g)].map(match => match[1]), decision },
    ],
  ),
);

type World = Awaited<ReturnType<typeof governedWorld>>;

/** One call for each way out; gives the end of the call. */
const ways: Record<string, (world: World, clock: ReturnType<typeof manualClock>) => Promise<string>> = {
  unknown: world => endOf(world.call('files__none')),
  async stale(world) {
    const [old] = world.registry.list(alice);
    world.reload();
    return await endOf(world.call(old ?? ''));
  },
  async denied(world) {
    await world.rule('deny', 'files.*');
    return await endOf(world.call('files__write'));
  },
  async 'no-start'(world) {
    world.connections[0]?.end();
    world.unloadQuietly();
    return await endOf(world.call('files__write'));
  },
  'bad-args': world => endOf(world.call('files__write', { pth: '/x' })),
  async rejected(world) {
    const call = endOf(world.call('files__write'));
    await world.approvals.decide(world.operator, alice, (await world.question()).id, { approve: false });
    return await call;
  },
  async expired(world, clock) {
    const call = endOf(world.call('files__write'));
    await world.question();
    clock.advance(3_600_001);
    return await call;
  },
  async invalidated(world) {
    const call = endOf(world.call('files__write'));
    await world.question();
    world.reload();
    return await call;
  },
  async 'cannot-record'(world) {
    await world.rule('allow', 'files.*');
    await world.call('files__write');
    world.breakAudit();
    return await endOf(world.call('files__write'));
  },
  failed: world => answered(world, new LongshoreError('server-error', 'no')),
  timeout: world => answered(world, new LongshoreError('timeout', 'too late')),
  cancelled: world => answered(world, new LongshoreError('cancelled', 'stopped')),
  'unknown-outcome': world => answered(world, new LongshoreError('unknown-outcome', 'lost')),
};

async function answered(world: World, error: LongshoreError): Promise<string> {
  await world.rule('allow', 'files.*');
  world.answerWith(() => Promise.reject(error));
  return await endOf(world.call('files__write'));
}

describe("docs/governance.md's drawing", () => {
  it('tells exactly the ways out that there are', () => {
    expect([...new Set(drawn)].toSorted()).toEqual(Object.keys(ways).toSorted());
    expect([...told.keys()].toSorted()).toEqual(Object.keys(ways).toSorted());
  });

  it.each(Object.entries(ways))('%s ends with the code and the decision that the page tells', async (word, way) => {
    const clock = manualClock();
    await using world = await governedWorld({ clock });
    world.load([
      tool('write', {
        inputSchema: { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false },
      }),
    ]);
    const end = await way(world, clock);
    const row = told.get(word);
    expect(row?.codes).toContain(end);
    if (word === 'cannot-record') return;
    await world.recorded();
    const outcome = (await world.rows()).findLast(one => one.kind === 'outcome');
    const decisions = row?.decision.replace('as authorised', '`auto_allowed`').match(/[a-z_]+(?=`)/g);
    expect(outcome?.status).toBe(end);
    expect(decisions).toContain(outcome?.decision);
  });
});
