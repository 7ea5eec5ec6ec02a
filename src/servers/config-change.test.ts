import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedConfig, shownConfig } from './config-change.ts';

const saved = {
  name: 'x',
  command: 'npx',
  args: ['-y', 'p'],
  env: { TOKEN: '${secret:x.TOKEN}', LEVEL: 'debug' },
  deadlines: { open: 5_000 },
};

describe('a change of a saved config', () => {
  it('keeps what it does not name, takes away what is null, and may be the whole config anew', () => {
    expect(changedConfig(saved, { args: ['q'] })).toEqual({ ...saved, args: ['q'] });
    expect(changedConfig(saved, { args: null, deadlines: null })).toEqual({
      name: 'x',
      command: 'npx',
      env: saved.env,
    });
    expect(changedConfig(saved, { command: 'uvx', env: { TOKEN: { set: true } } }, true)).toEqual({
      name: 'x',
      command: 'uvx',
      env: { TOKEN: '${secret:x.TOKEN}' },
    });
  });

  it('keeps masked values, and variables that are not given go', () => {
    expect(changedConfig(saved, { env: { TOKEN: { set: true }, NEW: 'a' } })['env']).toEqual({
      TOKEN: '${secret:x.TOKEN}',
      NEW: 'a',
    });
    expect(changedConfig(saved, { env: null })['env']).toBeUndefined();
  });

  it('cannot keep a value that is not saved', () => {
    for (const change of [{ env: { OTHER: { set: true } } }, { headers: { TOKEN: { set: true } } }]) {
      expect(() => changedConfig(saved, change)).toThrow(expect.objectContaining({ code: 'bad-config' }));
    }
    expect(() => changedConfig(saved, { env: { toString: { set: true } } })).toThrow('env.toString');
  });

  it('puts an address in the place of a command, and the other way round', () => {
    const remote = changedConfig(saved, { url: 'http://h/mcp', headers: { A: 'b' } });
    expect(remote).toEqual({
      name: 'x',
      endpoint: 'http://h/mcp',
      headers: { A: 'b' },
      env: saved.env,
      deadlines: saved.deadlines,
    });
    expect(changedConfig(remote, { command: 'npx', args: ['p'] })).toEqual({
      name: 'x',
      command: 'npx',
      args: ['p'],
      env: saved.env,
      deadlines: saved.deadlines,
    });
    const both = { ...saved, endpoint: 'http://h/mcp' };
    expect(changedConfig(saved, { command: 'npx', endpoint: 'http://h/mcp' })).toEqual(both);
  });

  it('shows of variables and headers only that they are set, and what is shown given back changes nothing', () => {
    expect(shownConfig({ ...saved, headers: { A: 'b' } })).toEqual({
      ...saved,
      env: { TOKEN: { set: true }, LEVEL: { set: true } },
      headers: { A: { set: true } },
    });
    const record = fc.dictionary(fc.string(), fc.string());
    fc.assert(
      fc.property(fc.record({ name: fc.string(), env: record, headers: record }), config => {
        expect(changedConfig(config, shownConfig(config))).toEqual(config);
        expect(changedConfig(config, shownConfig(config), true)).toEqual(config);
      }),
    );
  });
});
