import { describe, expect, it } from 'vitest';
import { agentId, type Epoch, serverKey } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Definition } from '../../core/words.ts';
import { definitionDigest } from './definition-digest.ts';
import { discoveredHandles, type Offer } from './discovered-handles.ts';
import { handleName } from './handle-names.ts';

const key = serverKey('srv');
const nothing: Offer = {
  agentId: agentId('did:test:a'),
  serverKey: key,
  epoch: 'e1' as Epoch,
  protocolVersion: '2026-07-28',
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
};

describe('discovered handles', () => {
  it('mounts tools by name, resources by URI, prompts by name, each kind with its own names', () => {
    const { handles, diagnostics } = discoveredHandles({
      ...nothing,
      tools: [{ name: 'greet', inputSchema: {} }],
      resources: [{ name: 'greet', uri: 'file:///greet' }],
      prompts: [{ name: 'greet' }],
    });
    expect(handles.map(handle => [handle.kind, handle.wireName, handle.handleName])).toEqual([
      ['tool', 'greet', 'srv__greet'],
      ['resource', 'file:///greet', handleName(key, 'file:///greet')],
      ['prompt', 'greet', 'srv__greet'],
    ]);
    expect(diagnostics).toEqual([]);
    expect(handles.every(Object.isFrozen)).toBe(true);
  });

  it('mounts none of two tools whose names clash, and says so', () => {
    const crafted = handleName(key, 'a.b').slice('srv__'.length);
    for (const tools of [
      [{ name: 'a.b' }, { name: crafted }],
      [{ name: crafted }, { name: 'a.b' }],
    ]) {
      const { handles, diagnostics } = discoveredHandles({ ...nothing, tools: [...tools, { name: 'fine' }] });
      expect(handles.map(handle => handle.wireName)).toEqual(['fine']);
      expect(diagnostics.map(diagnostic => diagnostic.code)).toEqual(['handle-name-clash']);
    }
  });

  it('sets aside a definition nested beyond all reason, and mounts its neighbours', () => {
    let schema: JsonObject = {};
    for (let depth = 0; depth < 100_000; depth += 1) schema = { properties: schema };
    const { handles, diagnostics } = discoveredHandles({
      ...nothing,
      tools: [{ name: 'deep', inputSchema: schema }, { name: 'fine' }],
      resources: [{ name: 'no uri' }],
    });
    expect(handles.map(handle => handle.wireName)).toEqual(['fine']);
    expect(diagnostics.map(diagnostic => diagnostic.code)).toEqual(['unusable-definition', 'unusable-definition']);
  });
});

describe('definition digest', () => {
  const base: Definition = {
    name: 'write',
    description: 'Writes',
    inputSchema: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
    annotations: { readOnlyHint: false },
  };

  it('R42: changes with name, description, either schema and annotations', () => {
    const changes: Partial<Definition>[] = [
      { name: 'write2' },
      { description: 'Writes!' },
      { inputSchema: { type: 'object' } },
      { outputSchema: {} },
      { annotations: { readOnlyHint: true } },
    ];
    const digests = changes.map(change => definitionDigest({ ...base, ...change } as Definition));
    expect(new Set([definitionDigest(base), ...digests]).size).toBe(changes.length + 1);
  });

  it('does not change with the order of members or with fields a person does not judge by', () => {
    const { name, ...rest } = base;
    const reordered = { ...rest, _meta: { cached: 1 }, name } as Definition;
    expect(definitionDigest(reordered)).toBe(definitionDigest(base));
  });
});
