import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CallerScope, emptyScope, wholeScope } from '../../core/caller-scope.ts';
import {
  agentId,
  type Digest,
  type Epoch,
  type HandleName,
  ownServerKey,
  type RuleId,
  serverKey,
} from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Handle, HandleKind, Level } from '../../core/words.ts';
import { compilePolicy } from '../rules/policy.ts';
import type { Rule } from '../rules/rule.ts';
import { checkScope, isHidden, isInScope, isListed, seesHandle } from './caller-scope.ts';

const alice = agentId('did:test:alice');

function handle(server: string, name: string, more: { kind?: HandleKind; annotations?: JsonObject } = {}): Handle {
  const { kind = 'tool', annotations } = more;
  return {
    agentId: alice,
    ownerKey: serverKey(server),
    handleName: `${server}__${name}` as HandleName,
    kind,
    epoch: 'e1' as Epoch,
    wireName: name,
    definitionDigest: 'd' as Digest,
    definition: { name, ...(annotations && { annotations }) },
    protocolVersion: '2026-07-28',
  };
}

let count = 0;
function rule(level: Level, pattern: string, more: Partial<Rule> = {}): Rule {
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

const scope = (more: Partial<CallerScope>): CallerScope => ({ ...wholeScope, ...more });

const servers = fc.constantFrom('github', 'files', 'notes', ownServerKey);
const names = fc.constantFrom('read_file', 'write_file', 'search', 'delete_all');
const hints = fc.constantFrom(undefined, { readOnlyHint: true }, { readOnlyHint: false }, { readOnlyHint: 'yes' });
const handles = fc
  .tuple(servers, names, fc.constantFrom<HandleKind>('tool', 'resource', 'prompt'), hints)
  .map(([server, name, kind, annotations]) => handle(server, name, { kind, ...(annotations && { annotations }) }));
const patterns = fc.constantFrom('github.*', '*.read_*', 'files__write_file', 'prompt *', 'tool notes.*', '*', '*.*');
const scopes: fc.Arbitrary<CallerScope> = fc.record({
  servers: fc.option(fc.uniqueArray(servers, { maxLength: 3 })),
  tools: fc.option(fc.uniqueArray(patterns, { maxLength: 3 })),
  risk: fc.constantFrom('all', 'read-only'),
  list: fc.oneof(fc.constant('all' as const), fc.record({ pins: fc.uniqueArray(patterns, { maxLength: 2 }) })),
  manages: fc.boolean(),
});

describe('what a caller sees', () => {
  it('is everything of its agent without limits, but nothing that manages servers', () => {
    fc.assert(
      fc.property(handles, one => {
        expect(seesHandle(wholeScope, one)).toBe(one.ownerKey !== ownServerKey);
        expect(isInScope(one, undefined)).toBe(one.ownerKey !== ownServerKey);
        expect(seesHandle(emptyScope, one)).toBe(false);
      }),
    );
  });

  it('never grows when any limit is added or tightened', () => {
    fc.assert(
      fc.property(scopes, scopes, handles, (wide, other, one) => {
        const shared = (mine: readonly string[] | null, theirs: readonly string[] | null) =>
          mine === null || theirs === null ? (mine ?? theirs) : mine.filter(text => theirs.includes(text));
        const narrow: CallerScope = {
          servers: shared(wide.servers, other.servers),
          tools: shared(wide.tools, other.tools),
          risk: wide.risk === 'all' ? other.risk : wide.risk,
          list: wide.list,
          manages: wide.manages && other.manages,
        };
        expect(seesHandle(narrow, one) && !seesHandle(wide, one)).toBe(false);
      }),
    );
  });

  it('is what each of its limits lets pass, and nothing else', () => {
    fc.assert(
      fc.property(scopes, handles, (limits, one) => {
        const { ownerKey, kind, definition } = one;
        const hint = (definition['annotations'] as JsonObject | undefined)?.['readOnlyHint'];
        const isHarmless = limits.risk === 'all' || kind !== 'tool' || hint === true;
        const byServer = limits.servers === null || limits.servers.includes(ownerKey);
        const byGroup = limits.tools === null || limits.tools.some(text => seesHandle(scope({ tools: [text] }), one));
        const expected = ownerKey === ownServerKey ? limits.manages : byServer && byGroup;
        expect(seesHandle(limits, one)).toBe(isHarmless && expected);
      }),
    );
  });

  it('is said by patterns of the rules: a server, a name, a kind', () => {
    const seen = (tools: readonly string[], one: Handle) => seesHandle(scope({ tools }), one);
    expect(seen(['github.*'], handle('github', 'search'))).toBe(true);
    expect(seen(['github.*'], handle('files', 'search'))).toBe(false);
    expect(seen(['*.read_*', 'notes__x'], handle('files', 'read_file'))).toBe(true);
    expect(seen(['*.read_*', 'notes__x'], handle('notes', 'x'))).toBe(true);
    expect(seen(['prompt *'], handle('notes', 'x'))).toBe(false);
    expect(seen(['prompt *'], handle('notes', 'x', { kind: 'prompt' }))).toBe(true);
  });

  it('is nothing by a pattern that cannot be read or says more than a group of tools', () => {
    for (const text of ['github', '', '*.* when path startsWith /x', '*.* by client:x', '*.* for did:x:y', '"']) {
      expect([text, seesHandle(scope({ tools: [text] }), handle('github', 'search'))]).toEqual([text, false]);
      expect(() => checkScope(scope({ tools: [text] }))).toThrow(expect.objectContaining({ code: 'usage' }));
      expect(() => checkScope(scope({ list: { pins: [text] } }))).toThrow(expect.objectContaining({ code: 'usage' }));
    }
    expect(() => checkScope(scope({ tools: ['github.*', 'prompt *'], list: { pins: ['*.*'] } }))).not.toThrow();
  });

  it('cannot be some servers for one that brings its own', () => {
    expect(() => checkScope(scope({ manages: true, servers: ['github'] }))).toThrow(/brings its own servers/);
    expect(() => checkScope(scope({ manages: true, tools: ['github.*'] }))).not.toThrow();
  });

  it('is listed whole, or what is pinned, and managing servers always with it', () => {
    const read = handle('files', 'read_file');
    expect(isListed(wholeScope, read)).toBe(true);
    expect(isListed(scope({ list: { pins: [] } }), read)).toBe(false);
    expect(isListed(scope({ list: { pins: ['*.read_*'] } }), read)).toBe(true);
    expect(isListed(scope({ list: { pins: [] } }), handle(ownServerKey, 'load'))).toBe(true);
  });
});

describe('what is hidden from a caller', () => {
  const write = handle('files', 'write_file');
  const hidden = (rules: readonly Rule[], otherwise: Level = 'ask', caller: 'library' | 'client:x' = 'client:x') =>
    isHidden(write, caller, wholeScope, compilePolicy(rules, otherwise));

  it('is what a rule denies whatever the arguments are, and not what it denies for some', () => {
    expect(hidden([])).toBe(false);
    expect(hidden([rule('deny', 'files.*')])).toBe(true);
    expect(hidden([rule('deny', 'files.*'), rule('allow', 'files__write_file')])).toBe(true);
    expect(hidden([rule('deny', 'files.* when path startsWith /etc/')])).toBe(false);
    expect(hidden([rule('deny', 'files.* by client:other')])).toBe(false);
    expect(hidden([rule('deny', 'files.* by client:x')])).toBe(true);
    expect(hidden([rule('deny', 'other.*')])).toBe(false);
  });

  it('is what a rule that cannot be read may be about', () => {
    expect(hidden([rule('deny', 'files.* when')])).toBe(true);
    expect(hidden([rule('perhaps' as Level, 'files.*')])).toBe(true);
  });

  it('is, where nothing passes unless it is allowed, what no rule could let pass', () => {
    expect(hidden([], 'deny')).toBe(true);
    expect(hidden([rule('allow', 'files.* when path startsWith /srv/')], 'deny')).toBe(false);
    expect(hidden([rule('allow', 'notes.*')], 'deny')).toBe(true);
  });

  it('agrees with the policy: no arguments at all are let pass or asked about for what is forbidden', () => {
    const anyRule = fc
      .tuple(
        fc.constantFrom<Level>('allow', 'ask', 'always-ask', 'deny'),
        fc.constantFrom('files.*', '*.write_*', 'files__write_file', '*.*', 'notes.*', 'prompt *'),
        fc.constantFrom('', ' by client:x', ' by client:y', ' when path is /a', ' when path startsWith /b'),
      )
      .map(([level, target, rest]) => rule(level, target + rest));
    const anyArgs = fc.oneof(fc.constant(undefined), fc.record({ path: fc.constantFrom('/a', '/b/c', '/d') }));
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 5 }),
        fc.constantFrom<Level>('ask', 'deny'),
        anyArgs,
        (rules, otherwise, args) => {
          const policy = compilePolicy(rules, otherwise);
          const { level } = policy.decide(write, 'client:x', args);
          expect(policy.forbids(write, 'client:x') && level !== 'deny').toBe(false);
        },
      ),
    );
  });
});

describe('managing servers', () => {
  const load = handle(ownServerKey, 'load');
  const levelOf = (rules: readonly Rule[], otherwise: Level = 'allow') =>
    compilePolicy(rules, otherwise).decide(load, 'client:x', { ref: 'mcp/time' }).level;

  it('is asked about every time, whatever is allowed; a deny still wins', () => {
    expect(levelOf([])).toBe('always-ask');
    expect(levelOf([rule('allow', 'longshore__load')])).toBe('always-ask');
    expect(levelOf([rule('allow', 'longshore.load by client:x', { lifetime: 'session' })])).toBe('always-ask');
    expect(levelOf([rule('allow', '*.*'), rule('ask', '*')])).toBe('always-ask');
    expect(levelOf([rule('deny', 'longshore.*')])).toBe('deny');
    expect(levelOf([rule('deny', '*.* when ref startsWith mcp/')])).toBe('deny');
    expect(compilePolicy([]).explain(load, 'client:x', {}).because).toContain('asks about managing servers every time');
  });

  it('changes nothing for any other server', () => {
    expect(compilePolicy([], 'allow').decide(handle('longshore-1', 'load'), 'client:x', {}).level).toBe('allow');
  });
});
