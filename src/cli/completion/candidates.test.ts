import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolView } from '../../client/api-types.ts';
import { argumentCandidates, candidateLines, namedTool, toolCandidates } from './candidates.ts';

function tool(server: string, name: string, inputSchema = {}): ToolView {
  return {
    name: `${server}__${name}`,
    server,
    tool: name,
    toolId: `mcp:1:${name}`,
    definition: { name, description: `Does ${name}.\nAnd more.`, inputSchema },
    tokenCost: 9,
    protocol_version: '2025-11-25',
  };
}

const schema = {
  properties: {
    unit: { enum: ['metric', 'imperial', 3], description: 'of measure' },
    deep: { type: 'boolean' },
    place: { type: 'string' },
  },
};
const tools = [tool('weather', 'now', schema), tool('weather', 'later'), tool('my.notes', 'a.b')];

const values = (found: readonly { readonly value: string }[]) => found.map(({ value }) => value);

describe('candidates', () => {
  it('names servers until there is a dot, then tools with the first line of what they do', () => {
    expect(values(toolCandidates('we', tools))).toEqual(['weather.', 'my.notes.']);
    expect(toolCandidates('weather.', tools)[0]).toEqual({ value: 'weather.now', description: 'Does now.' });
  });

  it('finds the tool of a call by either of its names', () => {
    expect(namedTool('weather.now', tools)?.tool).toBe('now');
    expect(namedTool('my.notes__a.b', tools)?.tool).toBe('a.b');
    expect(namedTool('weather', tools)).toBeUndefined();
  });

  it('names the arguments that are not given yet, and the values of one that has a list', () => {
    const [now] = tools;
    if (now === undefined) throw new Error('there is one');
    expect(argumentCandidates('', ['place=x'], now)).toEqual([
      { value: 'unit=', description: 'of measure' },
      { value: 'deep=' },
    ]);
    expect(values(argumentCandidates('unit=m', [], now))).toEqual(['unit=metric', 'unit=imperial', 'unit=3']);
    expect(values(argumentCandidates('deep=', [], now))).toEqual(['deep=true', 'deep=false']);
    expect(argumentCandidates('place=', [], now)).toEqual([]);
    expect(argumentCandidates('nope=', [], now)).toEqual([]);
  });
});

describe('candidateLines', () => {
  it('answers what begins with what is typed, sorted, one a line', () => {
    const found = [{ value: 'load', description: 'start a server' }, { value: 'list' }, { value: 'stop' }];
    expect(candidateLines('l', found)).toBe('list\nload\tstart a server\n');
    expect(candidateLines('x', found)).toBe('');
  });

  it('gives one line for each candidate, whatever servers call their tools', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            value: fc.string({ unit: 'binary', minLength: 1 }),
            description: fc.string({ unit: 'binary', minLength: 1 }),
          }),
        ),
        found => {
          const lines = candidateLines('', found).split('\n').slice(0, -1);
          const safe = found.filter(({ value }) => !/\p{Cc}/u.test(value));
          expect(new Set(lines.map(line => line.split('\t')[0]))).toEqual(new Set(safe.map(({ value }) => value)));
          for (const line of lines) expect(line.split('\t').length).toBeLessThanOrEqual(2);
        },
      ),
    );
  });
});
