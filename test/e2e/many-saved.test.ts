import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { saveMany } from '../fixtures/save-many.ts';
import { longshoreHome } from './longshore-home.ts';
import { processesWith } from './run-longshore.ts';

describe('a service with a hundred saved servers', () => {
  it('R68: lists every tool of them from what was seen before, at its first answer, and has started none', {
    timeout: 120_000,
  }, async () => {
    await using home = longshoreHome();
    const started = join(tmpdir(), `longshore-started-${process.pid}-${Date.now()}`);
    const program = {
      command: process.execPath,
      args: ['-e', `require('node:fs').writeFileSync(${JSON.stringify(started)}, '')`],
    };
    await saveMany(home.folder, { servers: 100, tools: 20 }, program);
    const { url } = await home.serve();
    expect(await (await fetch(`${url}/api/health`)).json()).toMatchObject({ ready: true });
    const everything = (await home.json('tools')) as readonly { readonly name: string }[];
    expect(everything).toHaveLength(2000);
    expect(await home.json('tools', 'many-42')).toHaveLength(20);
    expect(everything.map(tool => tool.name)).toContain('many-42__tool_7');
    expect(existsSync(started)).toBe(false);
    expect(await processesWith(started)).toEqual([]);

    // The same program says so when it is started.
    await home.run('allow', 'many-42.*', ...home.asOperator);
    const called = await home.run('call', 'many-42.tool_7', 'path=here');
    expect(called.code, called.stderr).toBe(4);
    expect(existsSync(started)).toBe(true);
    rmSync(started);
  });
});
