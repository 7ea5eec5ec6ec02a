import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, systemNode } from './run-longshore.ts';

const run = promisify(execFile);

describe('the packed package', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-package-'));
    const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: root,
    });
    const { filename } = JSON.parse(packed.stdout)[0];
    await writeFile(join(folder, 'package.json'), '{ "name": "someone", "version": "1.0.0", "type": "module" }');
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', join(folder, filename)], {
      cwd: folder,
    });
  }, 120_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('R86: runs when it is installed in an empty folder', async () => {
    const { stdout } = await run(process.execPath, [
      join(folder, 'node_modules/longshore/bin/longshore.js'),
      '--version',
    ]);
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(stdout).toBe(`${version}\n`);
  });

  it('R14: exports what interface.md promises, and inferTransport works without any service', {
    timeout: 30_000,
  }, async () => {
    const program = `
      import * as longshore from 'longshore';
      const { inferTransport } = longshore;
      console.log(JSON.stringify({
        names: Object.keys(longshore).sort(),
        stdio: inferTransport({ name: 'test-mcp', command: 'docker', args: ['run', '--rm', '-i', 'some-mcp-image'] }),
        http: inferTransport({ name: 'context7', endpoint: 'http://localhost:3000/mcp' }),
      }));`;
    await writeFile(join(folder, 'program.js'), program);
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder });
    const printed = JSON.parse(stdout);
    expect(printed).toMatchObject({ stdio: 'stdio', http: 'streamable-http' });
    for (const name of [
      'openHost',
      'inferTransport',
      'parseConfigBody',
      'expandMcpConfigsFromJson',
      'LongshoreError',
      'cleanupMcpTransport',
    ]) {
      expect(printed.names).toContain(name);
    }
  });

  it('R25, R26: has a plug-in entry that an agent host can load, with the official client behind it', {
    timeout: 30_000,
  }, async () => {
    const program = `
      const { manifest, LongshoreError } = await import('longshore/plugin');
      let refused;
      try { manifest.create({ agentId: 'nobody' }); } catch (error) { refused = error instanceof LongshoreError && error.code; }
      const { commands } = manifest.create({ agentId: 'did:web:example.org' });
      console.log(JSON.stringify({ id: manifest.id, refused, commands: commands.length }));`;
    await writeFile(join(folder, 'host.js'), program);
    const { stdout } = await run(process.execPath, ['host.js'], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({ id: 'mcp', refused: 'invalid-identity', commands: 7 });
  });

  it('runs, or says what it needs, under the Node that the system has', async () => {
    const { stdout: found } = await run(systemNode(), ['--version']);
    const launched = await run(systemNode(), [
      join(folder, 'node_modules/longshore/bin/longshore.js'),
      '--version',
    ]).then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => error.stderr,
    );
    const old = Number(found.slice(1).split('.')[0]) < 24;
    expect(launched.includes('Node 24 or later')).toBe(old);
  });

  it('says in one sentence, at import, which Node it needs', { timeout: 30_000 }, async () => {
    const { stdout: found } = await run(systemNode(), ['--version']);
    const isOld = Number(found.slice(1).split('.')[0]) < 24;
    const expected = isOld ? /^Longshore needs Node 24 or later; this is Node [\d.]+\. [^\n]+\n$/ : /^imported\n$/;
    for (const entry of ['longshore', 'longshore/client', 'longshore/plugin']) {
      const program = `import(${JSON.stringify(entry)}).then(() => 'imported', error => error.message).then(console.log)`;
      const { stdout } = await run(systemNode(), ['-e', program], { cwd: folder });
      expect(stdout).toMatch(expected);
    }
  });

  it('passes the checks of a publisher', { timeout: 60_000 }, async () => {
    const { stdout } = await run(process.execPath, [join(root, 'node_modules/publint/src/cli.js'), '--strict', root]);
    expect(stdout).toContain('All good!');
  });
});
