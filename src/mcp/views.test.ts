import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpointClient } from '../../test/fixtures/endpoint-client.ts';
import type { AgentId } from '../core/ids.ts';
import type { Handle } from '../core/words.ts';
import { Views } from './views.ts';

const agentId = 'did:example:a' as AgentId;

function tool(name: string, digest = 'd1', kind: Handle['kind'] = 'tool', wireName = name): Handle {
  const ownerKey = name.split('__')[0];
  return {
    agentId,
    ownerKey,
    kind,
    handleName: name,
    wireName,
    definitionDigest: digest,
    definition: { name },
  } as never;
}

describe('what clients see', () => {
  let handles: readonly Handle[] = [];
  let hidden = '';
  const views = (): Views =>
    new Views({
      handles: () => handles,
      sees: (_client, handle) => handle.handleName !== hidden,
      listed: (_client, tools) => tools,
      extra: () => [],
    });

  beforeEach(() => {
    vi.useFakeTimers();
    handles = [tool('b__two'), tool('a__one'), tool('b__one')];
    hidden = '';
  });
  afterEach(() => void vi.useRealTimers());

  const names = (kind: Handle['kind'] = 'tool'): readonly string[] =>
    views()
      .of(endpointClient('x'))
      .list(kind)
      .map(({ handleName }) => handleName);

  it('C6: is listed server by server, each in its own order', () => {
    handles = [tool('b__two'), tool('a__zebra'), tool('b__one'), tool('a__ant')];
    expect(names()).toEqual(['a__zebra', 'a__ant', 'b__two', 'b__one']);
    handles = handles.map(({ handleName }) => tool(handleName, 'd', 'resource', `file:///${handleName}`));
    expect(names('resource')).toEqual(['a__zebra', 'a__ant', 'b__two', 'b__one']);
  });

  it('is listed without what is hidden from that client', () => {
    hidden = 'b__two';
    expect(names()).toEqual(['a__one', 'b__one']);
  });

  it("is only one server's at that server's own path", () => {
    expect(
      views()
        .of(endpointClient('x', 'b'))
        .list('tool')
        .map(({ handleName }) => handleName),
    ).toEqual(['b__two', 'b__one']);
  });

  it('is a resource once, of the server that was mounted first, also where two have the same URI', () => {
    handles = [tool('b__r', 'd', 'resource', 'file:///x'), tool('a__r', 'd', 'resource', 'file:///x')];
    expect(
      views()
        .of(endpointClient('x'))
        .list('resource')
        .map(({ ownerKey }) => ownerKey),
    ).toEqual(['b']);
  });

  it('is told to whoever watches when the list is another, once for a burst, and not otherwise', () => {
    const all = views();
    const told: unknown[] = [];
    all.watch(endpointClient('x'), kinds => told.push(kinds));
    handles = [...handles, tool('c__new')];
    all.changed(agentId);
    handles = [...handles, tool('c__newer')];
    all.changed(agentId);
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual([['tools']]);
    handles = handles.map(handle => ({ ...handle }));
    all.changed(agentId);
    vi.advanceTimersByTime(1_000);
    expect(told).toHaveLength(1);
    handles = handles.map(handle => ({ ...handle, definitionDigest: 'd2' as never }));
    all.changed();
    vi.advanceTimersByTime(1_000);
    expect(told).toHaveLength(2);
  });

  it('is not told to a client that cannot see what changed', () => {
    const all = views();
    const told: unknown[] = [];
    all.watch(endpointClient('x', 'a'), kinds => told.push(kinds));
    handles = [...handles, tool('b__new')];
    all.changed(agentId);
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual([]);
  });

  it('is made into text once for as long as nothing changes', () => {
    const all = views();
    const text = all.of(endpointClient('x')).json('tool', 'modern');
    handles = [];
    expect(all.of(endpointClient('x')).json('tool', 'modern')).toBe(text);
    all.changed(agentId);
    expect(all.of(endpointClient('x')).json('tool', 'modern')).toBe('[]');
  });
});
