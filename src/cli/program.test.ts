import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordedTerminal } from '../../test/fixtures/recorded-terminal.ts';
import { commandEntry, commandTable } from './command-table.ts';
import { program } from './program.ts';

const context = { terminal: recordedTerminal(), command: undefined, exit() {} };
const names = commandTable.map(({ name }) => name);

describe('the command table', () => {
  it('has every name once, and finds a command by its alias', () => {
    const all = commandTable.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
    expect(new Set(all).size).toBe(all.length);
    expect(commandEntry('ls')?.name).toBe('list');
    expect(commandEntry(undefined)).toBeUndefined();
    expect(commandEntry('lst')).toBeUndefined();
  });
});

describe('program', () => {
  it('lists every command with what it does, but the hidden one', async () => {
    const help = (await program(['--help'], context)).helpInformation();
    const words = help.replaceAll(/\s+/g, ' ');
    for (const { name, summary } of commandTable.filter(({ hidden }) => !hidden)) {
      expect(help).toContain(`  ${name}`);
      expect(words).toContain(summary);
    }
    expect(help).not.toContain('__complete');
  });

  it.each(names)('loads %s when it is named, with help for it and each command below it', async name => {
    const root = await program([name], context);
    const command = root.commands.find(one => one.name() === name);
    for (const one of [command, ...(command?.commands ?? [])]) {
      expect(one?.helpInformation()).toMatch(/^Usage: longshore /);
      expect(one?.description()).not.toBe('');
    }
  });

  it('answers help and every start of a command without loading what runs servers', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      const { commandTable } = await import(${JSON.stringify(join(import.meta.dirname, 'command-table.ts'))});
      for (const entry of commandTable) await entry.load();
      const heavy = process.moduleLoadList.filter(name => /undici|_tls_wrap|sqlite/.test(name));
      console.log(JSON.stringify({ loaded, heavy }));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const { loaded, heavy } = JSON.parse(stdout || JSON.stringify({ loaded: [stderr] }));
    const packages = loaded.flatMap((url: string) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
    expect(new Set(packages)).toEqual(new Set(['commander', '@commander-js/extra-typings']));
    expect(
      loaded.filter((url: string) => /\/src\/(host|agent|governance|connections|store|cortex|docker)/.test(url)),
    ).toEqual([]);
    expect(heavy).toEqual([]);
  });
});
