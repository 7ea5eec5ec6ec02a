import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolArguments } from './tool-arguments.ts';

const sources = {
  readFile: (path: string) => Promise.resolve(`text of ${path}`),
  readStdin: () => Promise.resolve('from stdin'),
};

function parse(words: readonly string[], properties: object = {}, json?: string) {
  return toolArguments(words, json, { type: 'object', properties } as never, sources);
}

describe('toolArguments', () => {
  it('coerces each word by the type that the tool declares', async () => {
    const properties = {
      s: { type: 'string' },
      n: { type: 'number' },
      i: { type: 'integer' },
      b: { type: 'boolean' },
      a: { type: 'array' },
      o: { type: 'object' },
      z: { type: ['null', 'number'] },
    };
    expect(await parse(['s=5', 'n=1.5', 'i=7', 'b=true', 'a=[1,2]', 'o={"x":1}', 'z=null'], properties)).toEqual({
      s: '5',
      n: 1.5,
      i: 7,
      b: true,
      a: [1, 2],
      o: { x: 1 },
      z: null,
    });
  });

  it('names the argument and its type where the text does not fit', async () => {
    await expect(parse(['i=1.5'], { i: { type: 'integer' } })).rejects.toThrow('i must be integer, not "1.5"');
    await expect(parse(['b=yes'], { b: { type: 'boolean' } })).rejects.toThrow('b must be boolean');
    await expect(parse(['n='], { n: { type: 'number' } })).rejects.toThrow('n must be number');
  });

  it('takes a string last in a union, since any text is one', async () => {
    const properties = { u: { type: ['string', 'number'] }, v: { anyOf: [{ type: 'string' }, { type: 'boolean' }] } };
    expect(await parse(['u=5', 'v=true'], properties)).toEqual({ u: 5, v: true });
    expect(await parse(['u=five', 'v=maybe'], properties)).toEqual({ u: 'five', v: 'maybe' });
  });

  it('guesses JSON only where the tool does not say', async () => {
    expect(await parse(['x=5', 'y=hello', 'z={"a":', 'w=[1]'])).toEqual({ x: 5, y: 'hello', z: '{"a":', w: [1] });
  });

  it('keeps everything after the first equals sign', async () => {
    expect(await parse(['q=a=b=c'], { q: { type: 'string' } })).toEqual({ q: 'a=b=c' });
  });

  it('reads a file for @name and standard input for -', async () => {
    expect(await parse(['f=@notes.txt', 'i=-'], { f: { type: 'string' }, i: { type: 'string' } })).toEqual({
      f: 'text of notes.txt',
      i: 'from stdin',
    });
  });

  it('lays words over --args and refuses what is not an object', async () => {
    expect(await parse(['a=2'], { a: { type: 'number' } }, '{"a":1,"b":true}')).toEqual({ a: 2, b: true });
    await expect(parse([], {}, '[1]')).rejects.toThrow('--args takes one JSON object');
    await expect(parse([], {}, '{')).rejects.toThrow('--args takes one JSON object');
    await expect(parse(['noequals'])).rejects.toThrow('name=value');
  });

  it('passes any text through for a string', async () => {
    const text = fc.string().filter(value => value !== '-' && !/^@./.test(value));
    await fc.assert(
      fc.asyncProperty(text, async value => {
        expect(await parse([`s=${value}`], { s: { type: 'string' } })).toEqual({ s: value });
      }),
    );
  });
});
