import { describe, expect, it } from 'vitest';
import { originalsOf } from '../../../test/fixtures/client-files.ts';
import { LongshoreError } from '../../core/errors.ts';
import { connectableClients } from './connectable.ts';
import { connectedText, disconnectedText, entryIn } from './edited-text.ts';

const bridge = {
  command: '/opt/node 24/bin/node',
  args: ['/opt/longshore/bin/longshore.js', 'mcp', '--caller', 'x'],
  env: { LONGSHORE_HOME: '/home/ann/"odd" home' },
};

describe.each(connectableClients.map(client => [client.title, client] as const))('%s', (_title, client) => {
  const texts = originalsOf(client);
  const value = client.entry(bridge);

  it.each(texts.map(text => [text] as const))('keeps all else of its file, and finds its entry again: %j', text => {
    const connected = connectedText(text, client, value);
    expect(entryIn(connected, client)).toEqual(value);
    expect(connectedText(connected, client, value)).toBe(connected);
    // Every line that was there is there still, at most with a comma behind it.
    const lines = new Set(connected.split(/\r?\n/).map(line => line.replace(/,?(\s*\/[/*].*)?$/, '')));
    const isFlow = /\{.*\}|\[\]/.test(text) && !text.includes('command": "x" }\n');
    const lost = text.split(/\r?\n/).filter(line => !lines.has(line.replace(/,?(\s*\/[/*].*)?$/, '')));
    expect(isFlow ? [] : lost).toEqual([]);
    expect(text.includes('\r\n') && /(?<!\r)\n/.test(connected)).toBe(false);
  });

  it.each(texts.map(text => [text] as const))('is what it was without its entry: %j', text => {
    const connected = connectedText(text, client, value);
    const isFlow = client.syntax === 'yaml' && /: [[{]/.test(text);
    const back = isFlow ? text : disconnectedText(connected, client);
    expect(entryIn(back, client)).toBeUndefined();
    expect(connectedText(back, client, value)).toContain('longshore.js');
  });

  it('replaces an entry that is there with another one', () => {
    const older = connectedText('', client, client.entry({ ...bridge, command: '/old/node' }));
    const newer = connectedText(older, client, value);
    expect(entryIn(newer, client)).toEqual(value);
    expect(newer).not.toContain('/old/node');
  });

  it('leaves a file alone that cannot be read, or has no place for it', () => {
    const key = client.root[0] ?? '';
    const odd = {
      jsonc: ['{', '[1]', `{"${key}": 3}`],
      toml: ['= 1', `${key} = 3`, `${key} = {}`],
      yaml: ['a: [', `${key}: 3`, '- 1'],
    };
    for (const text of odd[client.syntax]) {
      expect(() => connectedText(text, client, value)).toThrow(LongshoreError);
    }
  });
});
