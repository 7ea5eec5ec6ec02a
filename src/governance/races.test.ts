import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alice, endOf, governedWorld, tool } from '../../test/fixtures/governed-world.ts';
import { manualClock } from '../../test/fixtures/manual-clock.ts';
import { sha256 } from '../core/ids.ts';
import { canonicalJson } from '../core/json.ts';
import type { Caller, Operation } from '../core/words.ts';
import type { AuditRow } from '../store/audit.ts';
import type { Scope } from './approvals/approval.ts';

/** More for whoever wants to be surer: `LONGSHORE_RACES=10000`. */
const runs = Number(process.env['LONGSHORE_RACES'] ?? 500);

const names = ['files__write', 'files__read'] as const;
const tools = [tool('write'), tool('read')];
const callers = ['library', 'client:a'] as const;

type Step = { readonly gap: number } & (
  | {
      readonly act: 'call';
      readonly name: number;
      readonly caller: number;
      readonly args: number;
      readonly patient: boolean;
    }
  | { readonly act: 'approve'; readonly which: number; readonly scope: Scope }
  | { readonly act: 'reject' | 'cancel'; readonly which: number }
  | { readonly act: 'reload' | 'unload' | 'load' | 'expire' | 'sleep' | 'change' | 'deny' | 'undeny' }
);

const small = fc.nat({ max: 5 });
const gap = fc.nat({ max: 4 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('call' as const),
      gap,
      name: fc.nat({ max: 1 }),
      caller: fc.nat({ max: 1 }),
      args: fc.nat({ max: 1 }),
      patient: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('approve' as const),
      gap,
      which: small,
      scope: fc.constantFrom<Scope>('once', 'once', 'session', 'always'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constantFrom('reject' as const, 'cancel' as const), gap, which: small }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constantFrom('reload', 'unload', 'load', 'expire', 'sleep', 'change', 'deny', 'undeny'),
      gap,
    }),
  },
);

/** 0: goes on at once. 1: after what is ready. More: after so many turns of the event loop. */
async function pause(turns: number): Promise<void> {
  if (turns === 1) await Promise.resolve();
  for (let turn = 1; turn < turns; turn += 1) await new Promise(resolve => setImmediate(resolve));
}

interface Written {
  readonly operation: Operation;
  /** The rows that were on disk when it was written. */
  readonly committed: readonly AuditRow[];
  /** Whether a rule denied it at that moment. */
  readonly isDenied: boolean;
}

async function play(script: readonly Step[], delays: readonly number[]): Promise<void> {
  const clock = manualClock();
  const committed: AuditRow[] = [];
  const written: Written[] = [];
  let commits = 0;
  const world = await governedWorld({
    clock,
    questionLifetime: 1000,
    between: store => ({
      ...store,
      rules: {
        ...store.rules,
        async put(rule) {
          await pause(delays[commits++ % delays.length] ?? 0);
          await store.rules.put(rule);
        },
      },
      audit: {
        ...store.audit,
        async append(rows) {
          await pause(delays[commits++ % delays.length] ?? 0);
          await store.audit.append(rows);
          committed.push(...rows);
        },
      },
    }),
  });
  await using _ = world;
  /** Connections between which the server only slept have the same number. */
  const lineage = new Map<string, number>();
  let withdrawals = 0;
  function note(): void {
    for (const { epoch } of world.connections) if (!lineage.has(epoch)) lineage.set(epoch, withdrawals);
  }
  let deny: { readonly id: string } | undefined;
  const answer = (operation: Operation) => {
    written.push({ operation, committed: [...committed], isDenied: isDenied(operation) });
    return { content: [] };
  };
  world.load(tools, { answer });
  note();
  const isDenied = ({ wireName, meta }: Operation) =>
    deny !== undefined && wireName === 'write' && meta?.['caller'] !== 'library';
  let loaded = true;
  let version = 0;
  const ends: Promise<string>[] = [];
  const aborts: AbortController[] = [];
  const clicks: Promise<string>[] = [];

  for (const step of script) {
    const open = world.approvals.open(alice);
    const which = 'which' in step ? open[step.which % Math.max(1, open.length)] : undefined;
    switch (step.act) {
      case 'call': {
        const abort = new AbortController();
        aborts.push(abort);
        const caller: Caller = callers[step.caller] ?? 'library';
        const patience = step.patient ? {} : { patience: 0 };
        ends.push(
          endOf(
            world.call(
              names[step.name] ?? names[0],
              { n: step.args },
              { caller, meta: { caller }, signal: abort.signal, ...patience },
            ),
          ),
        );
        break;
      }
      case 'approve':
        if (which)
          clicks.push(
            endOf(world.approvals.decide(world.operator, alice, which.id, { approve: true, scope: step.scope })),
          );
        break;
      case 'reject':
        if (which) clicks.push(endOf(world.approvals.decide(world.operator, alice, which.id, { approve: false })));
        break;
      case 'cancel':
        aborts[step.which % Math.max(1, aborts.length)]?.abort();
        break;
      case 'reload':
        withdrawals += 1;
        if (loaded) world.reload();
        break;
      case 'change':
        version += 1;
        withdrawals += 1;
        if (loaded) world.reload([tool('write', { description: `version ${version % 2}` }), tool('read')]);
        break;
      case 'unload':
        withdrawals += 1;
        world.unload();
        loaded = false;
        break;
      case 'load':
        if (!loaded) world.load(tools, { answer });
        loaded = true;
        break;
      case 'sleep':
        if (loaded && !world.registry.holds.busy(alice, 'files' as never)) world.sleep();
        break;
      case 'expire':
        clock.advance(1001);
        break;
      case 'deny':
        deny ??= await world.rule('deny', 'files.write by client:*').catch(() => undefined);
        break;
      case 'undeny':
        if (deny) {
          const { id } = deny;
          deny = undefined;
          await world.rules.remove(world.operator, alice, id as never);
        }
        break;
    }
    note();
    await pause(step.gap);
    note();
  }

  await Promise.all(clicks);
  world.stop();
  // Nothing hangs: every call has an end by now or gets one from the stop.
  const ended = await Promise.all(ends);
  await world.recorded();
  check({ lineage, written, rows: committed, calls: ended.length, ok: ended.filter(end => end === 'ok').length });
  expect(await world.audit.verify()).toMatchObject({ ok: true });
}

interface Seen {
  readonly lineage: ReadonlyMap<string, number>;
  readonly written: readonly Written[];
  readonly rows: readonly AuditRow[];
  readonly calls: number;
  readonly ok: number;
}

function check(seen: Seen): void {
  const authorisations = seen.rows.filter(row => row.kind === 'authorisation');
  const outcomes = seen.rows.filter(row => row.kind === 'outcome');
  const asked = seen.rows.filter(row => row.action === 'approval_asked');
  const approved = seen.rows.filter(row => row.action === 'approval_approved');

  // Every call has one outcome, and what came back was written.
  expect(outcomes.length).toBe(seen.calls);
  expect(new Set(outcomes.map(row => row.dispatch_id)).size).toBe(seen.calls);
  expect(seen.ok).toBe(seen.written.length);

  // A call never runs without its own authorisation row on disk before the write, for this epoch and these arguments.
  const used = new Set<string | null>();
  for (const { operation, committed, isDenied } of seen.written) {
    const row = committed.find(
      one =>
        one.kind === 'authorisation' &&
        !used.has(one.dispatch_id) &&
        one.epoch === operation.epoch &&
        one.wire_name === operation.wireName &&
        one.caller === operation.meta?.['caller'] &&
        one.args_digest === sha256(canonicalJson(operation.arguments)),
    );
    expect(row).toBeDefined();
    used.add(row?.dispatch_id ?? null);
    // A deny that was in force at the moment of the write held.
    expect(isDenied).toBe(false);
  }

  // Never twice for one approval, and never for other than what was approved: caller, handle, epoch, definition, arguments.
  const once = authorisations.filter(row => row.decision === 'user_approved');
  expect(new Set(once.map(row => row.approval_id)).size).toBe(once.length);
  const bound = ['caller', 'handle_name', 'epoch', 'definition_digest', 'args_digest'] as const;
  for (const row of once) {
    const question = asked.find(one => one.approval_id === row.approval_id);
    if (row.caller !== question?.caller) throw new Error('approved for another caller');
    for (const column of bound) expect(row[column]).toBe(question[column]);
    expect(approved.some(one => one.approval_id === row.approval_id)).toBe(true);
  }

  // A session permission never outlives the connection it was given on, unless the server only slept.
  for (const row of authorisations.filter(one => one.decision === 'auto_approved')) {
    const given = approved.find(
      one =>
        one.decision === 'session' &&
        one.seq < row.seq &&
        one.handle_name === row.handle_name &&
        one.definition_digest === row.definition_digest &&
        seen.lineage.get(one.epoch ?? '') === seen.lineage.get(row.epoch ?? ''),
    );
    expect(given).toBeDefined();
  }
}

describe('races', () => {
  it(`a call never runs without its row, twice for one approval, or on another epoch: ${runs} random interleavings`, {
    timeout: Math.max(60_000, runs * 200),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { minLength: 4, maxLength: 25 }),
        fc.array(gap, { minLength: 1, maxLength: 5 }),
        play,
      ),
      { numRuns: runs },
    );
  });
});
