import type { Clock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { AgentId, ApprovalId, RandomId, RuleId } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Caller, Handle, Level } from '../../core/words.ts';
import { Emitter } from '../../lib/emitter.ts';
import { Mutex } from '../../lib/mutex.ts';
import type { StoredRules } from '../../store/rules.ts';
import type { OperatorDesk, OperatorProof } from '../approvals/operator-proof.ts';
import type { Audit } from '../audit/audit.ts';
import { recordedChange } from '../audit/recorded-change.ts';
import type { Registry } from '../registry/registry.ts';
import { compilePolicy, type Explanation, type Policy } from './policy.ts';
import type { Pin, Rule } from './rule.ts';
import { canonicalPattern, readPattern } from './rule-pattern.ts';
import { isPinnedTo, pinOf, ruleFromStore } from './rule-pin.ts';

/** A rule as an operator writes it. */
export interface NewRule {
  /** `null`: for every agent of this home. */
  readonly agentId: AgentId | null;
  readonly level: Level;
  readonly pattern: string;
  readonly reason?: string;
}

/** A rule and whether it works. */
export interface RuleView extends Rule {
  /** `schema-changed`: inert until the tool is allowed again (R42). `unreadable`: denies whatever it may be about. */
  readonly state: 'active' | 'schema-changed' | 'unreadable';
  /** Why it is not active. */
  readonly problem?: string;
}

/** All standing decisions, and the policy that they make. */
export interface Rules {
  /** What decides now; a new object after every change. */
  readonly policy: Policy;
  /** An agent's own rules and those for every agent, those of this session included. */
  list(agentId: AgentId): readonly RuleView[];
  /**
   * Adds a rule in the place of one with the same pattern. Permission for one tool that is mounted is pinned to its
   * definition (R42). Throws `usage`, `denied` for a false proof, `cannot-record`.
   */
  add(proof: OperatorProof, rule: NewRule): Promise<Rule>;
  /** Throws `unknown-rule`, `usage` for one that the program gave to `openHost`, `denied`, `cannot-record`. */
  remove(proof: OperatorProof, agentId: AgentId, id: RuleId): Promise<void>;
  why(handle: Handle, caller: Caller, args: JsonValue | undefined): Explanation;
  /** The policy as it would be with a permission from an approval in it. */
  policyWith(permission: Permission): Policy;
  /** Writes the permission; only approvals call this, after the operator's decision. */
  permit(permission: Permission, door: string): Promise<void>;
  onChanged(listener: () => void): () => void;
}

/** What approving for a session or for always gives: this caller, this tool with this definition. */
export interface Permission {
  readonly handle: Handle;
  readonly caller: Caller;
  readonly lifetime: Rule['lifetime'];
  readonly approvalId: ApprovalId;
}

/** What rules stand on. */
export interface RulesDeps {
  readonly stored: StoredRules;
  readonly audit: Audit;
  readonly desk: OperatorDesk;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly randomId: RandomId;
  /** Given to `openHost`: they hold as long as the host is open and are not stored. */
  readonly hostRules: readonly Omit<NewRule, 'agentId'>[];
  /** The level where no rule speaks. */
  readonly otherwise: Level;
}

/** Reads all rules. Rejects with `usage` for a host rule that cannot be read, `store-corrupt`, `cannot-record`. */
export async function openRules(needs: RulesDeps): Promise<Rules> {
  const { stored, audit, desk, registry, clock, randomId, otherwise } = needs;
  const hosts = needs.hostRules.map(rule => newRule({ ...rule, agentId: null }, 'host'));
  let persistent: readonly Rule[] = (await stored.all()).map(ruleFromStore);
  let session: readonly Rule[] = [];
  let policy = compilePolicy([...hosts, ...persistent], otherwise);
  const emitter = new Emitter<[]>();
  /** One change of the standing rules after the other, so that memory and disk never disagree about the last one. */
  const changing = new Mutex();

  function newRule(rule: NewRule, source: Rule['source']): Rule {
    readPattern(rule.pattern);
    return {
      id: randomId() as RuleId,
      agentId: rule.agentId,
      level: rule.level,
      pattern: canonicalPattern(rule.pattern),
      pin: null,
      lifetime: 'persistent',
      source,
      reason: rule.reason ?? null,
      createdAt: clock.now(),
    };
  }

  function permissionRule({ handle, caller, lifetime }: Permission): Rule {
    const name = handle.handleName.includes('__') ? handle.handleName : JSON.stringify(handle.handleName);
    const pattern = `${handle.kind} ${name} by ${/\s|"/.test(caller) ? JSON.stringify(caller) : caller}`;
    const base = newRule({ agentId: handle.agentId, level: 'allow', pattern }, 'approval');
    return { ...base, lifetime, pin: pinOf(handle, caller) };
  }

  function becomes(next: { readonly persistent?: readonly Rule[]; readonly session?: readonly Rule[] }): void {
    persistent = next.persistent ?? persistent;
    session = next.session ?? session;
    policy = compilePolicy([...hosts, ...persistent, ...session], otherwise);
    emitter.emit();
  }

  async function keep(rule: Rule): Promise<void> {
    await stored.put({
      ...rule,
      pin: rule.pin && { ...rule.pin, program: rule.pin.program && { ...rule.pin.program } },
    });
    becomes({ persistent: inPlaceOfSame(persistent, rule) });
  }

  /** The change is made once it is recorded, and not before. */
  async function recorded(
    action: string,
    { rule, door, approvalId }: { readonly rule: Rule; readonly door: string; readonly approvalId: ApprovalId | null },
    make: () => Promise<void>,
  ): Promise<void> {
    const detail = { rule_id: rule.id, approval_id: approvalId, message: rule.reason };
    const subject = `${rule.level} ${rule.pattern}`;
    const entry = { action, subject, agentId: rule.agentId, caller: `operator:${door}`, detail };
    await recordedChange(audit, entry, make);
  }

  /** R41, R42: what was allowed for a session was allowed on a handle that is now gone. */
  registry.onWithdrawn(handles => {
    const kept = session.filter(({ pin, agentId }) =>
      handles.every(gone => gone.agentId !== agentId || gone.handleName !== pin?.handleName || gone.kind !== pin.kind),
    );
    if (kept.length < session.length) becomes({ session: kept });
  });

  return {
    get policy() {
      return policy;
    },
    list(agentId) {
      const problems = new Map(policy.unreadable.map(({ rule, problem }) => [rule.id, problem]));
      const own = [...hosts, ...persistent, ...session].filter(
        rule => rule.agentId === null || rule.agentId === agentId,
      );
      return own.map(rule => viewOf(rule, problems.get(rule.id), registry));
    },
    async add(proof, asked) {
      const door = desk.door(proof);
      const plain = newRule(asked, 'operator');
      const rule = { ...plain, pin: pinFor(plain, registry) };
      return await changing.run(async () => {
        await recorded('rule_added', { rule, door, approvalId: null }, () => keep(rule));
        return rule;
      });
    },
    async remove(proof, agentId, id) {
      const door = desk.door(proof);
      const rule = [...hosts, ...persistent, ...session].find(one => one.id === id);
      if (rule === undefined || (rule.agentId !== null && rule.agentId !== agentId)) {
        throw new LongshoreError(
          'unknown-rule',
          `There is no rule ${JSON.stringify(id)}. List the rules to see their ids.`,
        );
      }
      if (rule.source === 'host') {
        throw new LongshoreError('usage', 'The program that opened this host gave it this rule; take it out there.');
      }
      await changing.run(async () => {
        await recorded('rule_removed', { rule, door, approvalId: null }, async () => {
          if (rule.lifetime === 'persistent') await stored.remove(id);
          const without = (rules: readonly Rule[]) => rules.filter(one => one.id !== id);
          becomes({ persistent: without(persistent), session: without(session) });
        });
      });
    },
    why: (handle, caller, args) => policy.explain(handle, caller, args),
    policyWith(permission) {
      const rule = permissionRule(permission);
      const [standing, passing] =
        rule.lifetime === 'session'
          ? [persistent, inPlaceOfSame(session, rule)]
          : [inPlaceOfSame(persistent, rule), session];
      return compilePolicy([...hosts, ...standing, ...passing], otherwise);
    },
    async permit(permission, door) {
      const rule = permissionRule(permission);
      if (rule.lifetime === 'session') {
        // R42: what was withdrawn while the decision was written is not allowed for the session of its successor.
        if (registry.isLive(permission.handle)) becomes({ session: inPlaceOfSame(session, rule) });
        return;
      }
      await changing.run(async () => {
        const { level } = persistent.find(one => isSame(one, rule)) ?? rule;
        // A standing no is not undone by a yes to one call: B6.
        if (level !== 'allow' && level !== 'ask') {
          throw new LongshoreError('denied', `A rule with the same reach says ${level}; remove it first.`);
        }
        await recorded('rule_added', { rule, door, approvalId: permission.approvalId }, () => keep(rule));
      });
    },
    onChanged: listener => emitter.on(listener),
  };
}

function isSame(a: Rule, b: Rule): boolean {
  return a.agentId === b.agentId && a.pattern === b.pattern;
}

function inPlaceOfSame(rules: readonly Rule[], rule: Rule): readonly Rule[] {
  return [...rules.filter(one => !isSame(one, rule)), rule];
}

/** Permission for exactly one tool that is there is about that tool as it is now. */
function pinFor(rule: Rule, registry: Registry): Rule['pin'] {
  if (rule.level !== 'allow' || rule.agentId === null) return null;
  const { kind, target } = readPattern(rule.pattern);
  const exact = target.by === 'handle-name' ? target.handleName.exact : target.server.exact && target.tool.exact;
  if (!exact) return null;
  const handle = registry
    .list(rule.agentId, kind === undefined ? {} : { kind })
    .find(one =>
      target.by === 'handle-name'
        ? one.handleName === target.handleName.text
        : one.ownerKey === target.server.text && one.wireName === target.tool.text,
    );
  return handle === undefined ? null : pinOf(handle, null);
}

function viewOf(rule: Rule, problem: string | undefined, registry: Registry): RuleView {
  if (problem !== undefined) return { ...rule, state: 'unreadable', problem };
  const { pin, agentId } = rule;
  const handle = pin && agentId ? registry.lookup(agentId, pin.handleName, pin.kind) : undefined;
  if (pin && handle && !isPinnedTo(pin, handle) && rule.level !== 'deny') {
    return {
      ...rule,
      state: 'schema-changed',
      problem: `${pin.handleName} is not what it was when it was allowed${startedOtherwise(pin, handle)}.`,
    };
  }
  return { ...rule, state: 'active' };
}

function startedOtherwise(pin: Pin, { program }: Handle): string {
  if (pin.program?.digest === program?.digest) return '';
  return `: its server is started from ${program?.text ?? 'nothing'}, and was from ${pin.program?.text ?? 'what was not kept'}`;
}
