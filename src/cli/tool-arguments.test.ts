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

  it('finds the type through references, allOf, const and enum, also of properties that a part of the schema has', async () => {
    const schema = {
      $ref: '#/$defs/Arguments',
      $defs: {
        Arguments: {
          allOf: [{ properties: { port: { $ref: '#/$defs/Port' }, on: { const: true } } }, { $ref: '#/$defs/More' }],
        },
        Port: { allOf: [{ type: ['integer', 'null'] }, { type: 'integer' }, { minimum: 1 }] },
        More: {
          properties: { level: { enum: [1, 2] }, loop: { $ref: '#/$defs/Loop' }, 'a/b': { $ref: '#/$defs/x~1y' } },
        },
        Loop: { anyOf: [{ $ref: '#/$defs/Loop' }, { type: 'number' }] },
        'x/y': { type: 'boolean' },
      },
    };
    const words = ['port=7', 'on=true', 'level=2', 'loop=1.5', 'a/b=true'];
    expect(await toolArguments(words, undefined, schema, sources)).toEqual({
      port: 7,
      on: true,
      level: 2,
      loop: 1.5,
      'a/b': true,
    });
    await expect(toolArguments(['port=x'], undefined, schema, sources)).rejects.toThrow('port must be integer');
  });

  it('keeps a text where it may be one and would not print back as it was written', async () => {
    const union = { u: { type: ['string', 'number', 'object'] } };
    for (const text of [
      '007',
      '1.0',
      '+1',
      '1e3',
      '12345678901234567890',
      '0x10',
      ' 5',
      '{"id":12345678901234567890}',
    ]) {
      expect(await parse([`u=${text}`], union)).toEqual({ u: text });
      expect(await parse([`u=${text}`])).toEqual({ u: text });
    }
    expect(await parse(['u={ "a": [1, "x y"] }'], union)).toEqual({ u: { a: [1, 'x y'] } });
    expect(await parse(['n=007'], { n: { type: 'integer' } })).toEqual({ n: 7 });
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
