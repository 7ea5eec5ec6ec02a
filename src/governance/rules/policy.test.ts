import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentId, type Digest, type Epoch, type RuleId, serverKey } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Caller, Handle } from '../../core/words.ts';
import { type Level, levels } from '../../core/words.ts';
import { judgedPart } from '../registry/definition-digest.ts';
import { discoveredHandles } from '../registry/discovered-handles.ts';
import { compilePolicy } from './policy.ts';
import { type Rule } from './rule.ts';

const alice = agentId('did:test:alice');
const bob = agentId('did:test:bob');

function handleOf(server: string, tool: string, agent = alice, description = 'does it'): Handle {
  const { handles } = discoveredHandles({
    agentId: agent,
    serverKey: serverKey(server),
    epoch: 'e1' as Epoch,
    protocolVersion: '2026-07-28',
    tools: [{ name: tool, description, inputSchema: {} }],
    resources: [],
    templates: [],
    prompts: [],
  });
  const [handle] = handles;
  if (handle === undefined) throw new Error('the tool is mounted');
  return handle;
}

let count = 0;
function rule(level: string, pattern: string, more: Partial<Rule> = {}): Rule {
  count += 1;
  return {
    id: `r${count}` as RuleId,
    agentId: alice,
    level,
    pattern,
    pin: null,
    lifetime: 'persistent',
    source: 'operator',
    reason: null,
    createdAt: count,
    ...more,
  };
}

function pinned(handle: Handle, more: Partial<Rule> = {}): Rule {
  const { ownerKey, handleName, kind, definitionDigest, definition, program = null } = handle;
  const definitions = { definitionDigest, definition: judgedPart(definition) };
  const pin = { ownerKey, handleName, kind, caller: null, ...definitions, program };
  return rule('allow', handleName, { pin, source: 'approval', ...more });
}

const write = handleOf('files', 'write');

function levelOf(rules: readonly Rule[], args: JsonValue = {}, handle = write, caller: Caller = 'library'): Level {
  return compilePolicy(rules).decide(handle, caller, args).level;
}

describe('policy', () => {
  it('asks where no rule speaks', () => {
    expect(levelOf([])).toBe('ask');
    expect(levelOf([rule('allow', 'other.*'), rule('allow', 'files.Write'), rule('allow', 'Files.write')])).toBe('ask');
    expect(compilePolicy([], 'allow').decide(write, 'library', {}).level).toBe('allow');
  });

  it('B6: a deny of any scope and lifetime wins, then always-ask, then the most specific, session before persistent', () => {
    expect(levelOf([rule('deny', '*'), rule('allow', 'files.write', { lifetime: 'session' })])).toBe('deny');
    expect(levelOf([rule('always-ask', '*.*'), rule('allow', 'files.write', { lifetime: 'session' })])).toBe(
      'always-ask',
    );
    expect(levelOf([rule('always-ask', 'files.write'), rule('deny', '*')])).toBe('deny');
    expect(levelOf([rule('allow', 'files.*'), rule('ask', '*.*')])).toBe('allow');
    expect(levelOf([rule('allow', 'files.*'), rule('ask', 'files.write')])).toBe('ask');
    expect(levelOf([rule('ask', 'files__write'), rule('allow', 'files__write', { lifetime: 'session' })])).toBe(
      'allow',
    );
    expect(levelOf([rule('ask', 'files.write'), rule('allow', 'files.*', { lifetime: 'session' })])).toBe('ask');
    expect(levelOf([rule('allow', 'files.write'), rule('ask', 'files.write when size > 5')], { size: 9 })).toBe('ask');
    expect(levelOf([rule('ask', 'files.*'), rule('allow', 'files.wri*')])).toBe('allow');
  });

  it('B6: whatever else there is, one applying deny denies', () => {
    const anyRule = fc.record({
      level: fc.constantFrom(...levels),
      pattern: fc.constantFrom('*', '*.*', 'files.*', 'files.write', 'files__write', 'files.write when size < 9'),
      lifetime: fc.constantFrom('persistent', 'session'),
    });
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 8 }), fc.nat({ max: 8 }), (others, place) => {
        const rules = others.map(({ level, pattern, lifetime }) => rule(level, pattern, { lifetime }));
        const level = levelOf(rules, { size: 1 });
        const expected = rules.some(one => one.level === 'deny') ? 'deny' : level;
        expect(level).toBe(expected);
        expect(levelOf(rules.toSpliced(place, 0, rule('deny', 'files.*')), { size: 1 })).toBe('deny');
        expect(levelOf(rules.toReversed(), { size: 1 })).toBe(level);
      }),
    );
  });

  it('R39: exact owner and handle decide, never the tool name alone', () => {
    const rules = [rule('deny', 'a.search'), rule('allow', 'b.search')];
    expect(levelOf(rules, {}, handleOf('a', 'search'))).toBe('deny');
    expect(levelOf(rules, {}, handleOf('b', 'search'))).toBe('allow');
    expect(levelOf(rules, {}, handleOf('A', 'search'))).toBe('ask');
    expect(levelOf(rules, {}, handleOf('a', 'Search'))).toBe('ask');
  });

  it('S4: a rule of one agent says nothing about another agent; one without an agent is for all', () => {
    const rules = [rule('deny', 'files.write'), rule('allow', 'files.write', { agentId: bob })];
    expect(levelOf(rules)).toBe('deny');
    expect(levelOf(rules, {}, handleOf('files', 'write', bob))).toBe('allow');
    expect(levelOf([...rules, rule('deny', '*', { agentId: null })], {}, handleOf('files', 'write', bob))).toBe('deny');
    const named = [rule('deny', `files.* for ${bob}`, { agentId: null })];
    expect([levelOf(named), levelOf(named, {}, handleOf('files', 'write', bob))]).toEqual(['ask', 'deny']);
  });

  it('tells callers apart', () => {
    const rules = [rule('allow', 'files.* by client:cursor'), rule('deny', '* by library')];
    expect(levelOf(rules, {}, write, 'client:cursor')).toBe('allow');
    expect(levelOf(rules, {}, write, 'client:cursor2')).toBe('ask');
    expect(levelOf(rules, {}, write, 'library')).toBe('deny');
  });

  it('R42: an always-allow holds for the definition it was given for, and is inert for another', () => {
    const changed = handleOf('files', 'write', alice, 'does it, and more');
    const rules = [pinned(write)];
    expect(levelOf(rules)).toBe('allow');
    expect(compilePolicy(rules).decide(changed, 'library', {})).toEqual({
      level: 'ask',
      rule: undefined,
      changed: rules[0],
    });
    expect(compilePolicy(rules).explain(changed, 'library', {}).because).toContain('schema-changed');
    expect(levelOf(rules, {}, handleOf('files', 'read'))).toBe('ask');
  });

  it('R42: a deny is never pinned', () => {
    const { pin } = pinned(write);
    const elsewhere = pin && { ...pin, definitionDigest: 'another' as Digest };
    expect(levelOf([rule('deny', 'files__write', { pin: elsewhere })])).toBe('deny');
  });

  it('a rule that cannot be read closes the door for whatever it may be about, and is shown', () => {
    const broken = rule('allow', 'files.* when path near /srv/');
    const policy = compilePolicy([broken, rule('allow', '*')]);
    expect(policy.decide(write, 'library', {}).level).toBe('deny');
    expect(policy.decide(handleOf('other', 'x'), 'library', {}).level).toBe('allow');
    expect(policy.explain(write, 'library', {}).because).toContain('cannot be read');
    expect(policy.unreadable).toEqual([{ rule: broken, problem: expect.stringContaining('a comparison is one of') }]);
    expect(levelOf([rule('allow', '%%%')])).toBe('deny');
    expect(levelOf([rule('allow', '%%%', { agentId: bob })])).toBe('ask');
    expect(levelOf([rule('permit', 'files.write')])).toBe('deny');
  });

  it('what is unclear never opens: it meets a deny, an ask and an always-ask, not an allow', () => {
    const dodge = { path: '/srv/../etc/passwd' };
    expect(levelOf([rule('allow', 'files.write when path startsWith /srv/')], dodge)).toBe('ask');
    expect(levelOf([rule('allow', 'files.write when path startsWith /srv/')], { path: '/srv/x' })).toBe('allow');
    expect(levelOf([rule('deny', 'files.write when path startsWith /etc/')], dodge)).toBe('deny');
    expect(levelOf([rule('always-ask', 'files.write when amount > 100')], { amount: '500' })).toBe('always-ask');
    expect(levelOf([rule('deny', 'files.write when branch = main')], {})).toBe('deny');
    expect(levelOf([rule('deny', 'files.write when a = 1 and b = 2')], { a: 5 })).toBe('ask');
  });

  it('why: names the rule that decides, the one it beat, and its reason', () => {
    const policy = compilePolicy([rule('deny', 'files.*', { reason: 'read-only week' }), rule('allow', 'files.write')]);
    const explanation = policy.explain(write, 'library', {});
    expect(explanation.rule?.pattern).toBe('files.*');
    expect(explanation.beat?.pattern).toBe('files.write');
    expect(explanation.because).toBe(
      'The rule deny files.* says deny (read-only week). It beat allow files.write: a deny always wins.',
    );
    expect(compilePolicy([]).explain(write, 'library', {}).because).toBe(
      'No rule speaks about this call, and then the level is ask.',
    );
  });

  it('decides the same as it explains, for any rules', () => {
    const anyRule = fc.tuple(
      fc.constantFrom(...levels, 'odd'),
      fc.constantFrom('*', 'files.*', 'files.write', 'files.write when n = 1', '!'),
    );
    fc.assert(
      fc.property(fc.array(anyRule), fc.constantFrom<JsonValue>({}, { n: 1 }, { n: 2 }), (pairs, args) => {
        const policy = compilePolicy(pairs.map(([level, pattern]) => rule(level, pattern)));
        const { level, rule: decided } = policy.explain(write, 'library', args);
        expect(policy.decide(write, 'library', args)).toMatchObject({ level, rule: decided });
      }),
    );
  });
});
