import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alice, tool } from '../../../test/fixtures/governed-world.ts';
import { type Epoch, serverKey } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Handle } from '../../core/words.ts';
import { discoveredHandles } from './discovered-handles.ts';
import { createRegistry } from './registry.ts';
import { createToolIndex, createToolSearch } from './tool-index.ts';

function handlesOf(server: string, tools: Readonly<Record<string, JsonObject>>): readonly Handle[] {
  return discoveredHandles({
    agentId: alice,
    serverKey: serverKey(server),
    epoch: 'e1' as Epoch,
    protocolVersion: '2026-07-28',
    tools: Object.entries(tools).map(([name, more]) => tool(name, more)),
    resources: [],
    templates: [],
    prompts: [],
  }).handles;
}

const handles = [
  ...handlesOf('clock', {
    get_current_time: {
      description: 'Tells what time it is in a timezone.',
      inputSchema: { type: 'object', properties: { timezone: { type: 'string', description: 'IANA name' } } },
    },
    convertTime: { description: 'Converts between zones.' },
  }),
  ...handlesOf('github', {
    create_issue: {
      title: 'Open a ticket',
      description: 'Creates it in a repository.',
      inputSchema: {
        type: 'object',
        properties: {
          labels: { type: 'array', items: { type: 'object', properties: { colour: { type: 'string' } } } },
        },
      },
    },
    search_code: { description: 'Finds code in the repositories of an organisation.' },
  }),
  ...handlesOf('weather', { forecast: { description: '查询城市的天气预报。Réponse en degrés.' } }),
];
const index = createToolIndex(handles);
const found = (query: string, limit = 5) => index.search(query, limit).map(handle => handle.handleName);

describe('the index of tools', () => {
  it('finds by name, title, description, server and parameters, nested ones too', () => {
    expect(found('current time')[0]).toBe('clock__get_current_time');
    expect(found('convert')).toEqual(['clock__convertTime']);
    expect(found('open a ticket')[0]).toBe('github__create_issue');
    expect(found('organisation')).toEqual(['github__search_code']);
    expect(found('github').toSorted()).toEqual(['github__create_issue', 'github__search_code']);
    expect(found('timezone')[0]).toBe('clock__get_current_time');
    expect(found('colour')).toEqual(['github__create_issue']);
  });

  it('takes one and many of a thing for the same', () => {
    for (const query of ['repository', 'repositories', 'code repository']) {
      expect(found(query).toSorted()).toEqual(['github__create_issue', 'github__search_code']);
    }
    expect(found('issues')).toEqual(['github__create_issue']);
    expect(found('label')).toEqual(found('labels'));
  });

  it('finds words that are begun, misspelt, without accents, or written without spaces', () => {
    expect(found('reposi').toSorted()).toEqual(['github__create_issue', 'github__search_code']);
    expect(found('curent tme')[0]).toBe('clock__get_current_time');
    expect(found('isue')).toEqual(['github__create_issue']);
    expect(found('reponse')).toEqual(['weather__forecast']);
    expect(found('天气')).toEqual(['weather__forecast']);
  });

  it('puts a name before a description', () => {
    const both = createToolIndex(handlesOf('x', { other: { description: 'Will translate.' }, translate: {} }));
    expect(both.search('translate', 2).map(handle => handle.wireName)).toEqual(['translate', 'other']);
  });

  it('Q16: leaves out what only shares a word with the question', () => {
    const offered = createToolIndex([
      ...handlesOf('calculator', { add: { description: 'Adds two numbers.' } }),
      ...handlesOf('files', {
        read: { description: 'Reads a file. Takes the number of lines, and two encodings.' },
        tail: { description: 'Gives the last lines; their number can be said.' },
      }),
      ...handlesOf('issues', { list: { description: 'Lists issues by number, two to a page.' } }),
      ...handlesOf('long', {
        operation: { inputSchema: { type: 'object', properties: { number: { type: 'integer' } } } },
      }),
    ]);
    const search = (query: string): readonly string[] => offered.search(query, 10).map(({ handleName }) => handleName);
    expect(search('add two numbers')).toEqual(['calculator__add']);
    expect(search('last lines of a file')).toContain('files__tail');
    expect(search('issues')).toEqual(['issues__list']);
  });

  it('finds nothing without words, and no more than it is asked for', () => {
    for (const query of ['', '  ', '?!', 'zzzz']) expect([query, found(query)]).toEqual([query, []]);
    expect(found('time', 1)).toHaveLength(1);
  });

  it('gives only what may be seen, before it counts', () => {
    const seen = index.search('repository', 1, handle => handle.wireName === 'search_code');
    expect(seen.map(handle => handle.wireName)).toEqual(['search_code']);
  });

  it('gives equal answers to equal questions, in whatever order tools were mounted, and never fails', () => {
    fc.assert(
      fc.property(fc.string(), fc.shuffledSubarray([...handles], { minLength: handles.length }), (query, shuffled) => {
        const other = createToolIndex(shuffled).search(query, 9);
        expect(other.map(handle => handle.handleName)).toEqual(found(query, 9));
      }),
      { numRuns: 60 },
    );
  });

  it('follows the registry, agent by agent', () => {
    const registry = createRegistry({ now: () => 0 });
    const search = createToolSearch(registry);
    const names = () => search.search(alice, 'time', 5).map(handle => handle.handleName);
    expect(names()).toEqual([]);
    registry.replaceOwner(alice, serverKey('clock'), handlesOf('clock', { tell_time: {} }), 'load');
    expect(names()).toEqual(['clock__tell_time']);
    registry.replaceOwner(alice, serverKey('clock'), [], 'unload');
    expect(names()).toEqual([]);
  });
});
