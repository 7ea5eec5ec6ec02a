import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommandLookup, type Disk, lookUpCommand, realDisk } from './command-lookup.ts';

const nobodyAsked = (): Promise<never> => Promise.reject(new Error('the login shell was asked'));

/** A disk with exactly these programs; those with a text can be read. */
function diskOf(files: Readonly<Record<string, string>>): Disk {
  return {
    isProgram: file => Promise.resolve(Object.hasOwn(files, file)),
    read: file => Promise.resolve(files[file] ?? ''),
  };
}

function lookUp(changes: Partial<CommandLookup>): ReturnType<typeof lookUpCommand> {
  return lookUpCommand({
    command: 'npx',
    cwd: undefined,
    env: { PATH: '/configured:/both' },
    ours: { PATH: '/both:/ours' },
    platform: 'linux',
    homeDir: '/home/x',
    loginPath: () => Promise.resolve(['/login']),
    disk: diskOf({}),
    ...changes,
  });
}

describe('users 32: lookUpCommand', () => {
  it('takes what the server’s own PATH has, in its order, and asks no shell', async () => {
    const disk = diskOf({ '/both/npx': '', '/configured/npx': '' });
    expect(await lookUp({ disk, loginPath: nobodyAsked })).toEqual({ file: '/configured/npx', args: [] });
  });

  it('looks on our PATH next, and gives the server the folder where it found the program', async () => {
    const found = await lookUp({ disk: diskOf({ '/ours/npx': '' }), loginPath: nobodyAsked });
    expect(found).toEqual({ file: '/ours/npx', args: [], path: '/ours:/configured:/both' });
  });

  it('then on the login shell’s, which the server gets too', async () => {
    const found = await lookUp({
      disk: diskOf({ '/nvm/bin/npx': '' }),
      loginPath: () => Promise.resolve(['/login', '/nvm/bin', '/ours']),
    });
    expect(found.file).toBe('/nvm/bin/npx');
    expect(found.path).toBe('/nvm/bin:/configured:/both:/ours:/login');
  });

  it.each([
    '/home/x/.volta/bin',
    '/home/x/.asdf/shims',
    '/home/x/.local/share/mise/shims',
    '/home/x/.local/bin',
    '/home/x/.cargo/bin',
    '/home/x/.bun/bin',
    '/home/x/.deno/bin',
    '/home/x/.local/share/fnm/aliases/default/bin',
    '/opt/homebrew/bin',
    '/home/linuxbrew/.linuxbrew/bin',
  ])('then in %s', async folder => {
    const found = await lookUp({ disk: diskOf({ [`${folder}/npx`]: '' }) });
    expect(found.file).toBe(`${folder}/npx`);
    expect(found.path).toBe(`${folder}:/configured:/both:/ours:/login`);
  });

  it('takes the highest version that nvm has', async () => {
    const homeDir = await mkdtemp(join(tmpdir(), 'longshore-'));
    const bin = (version: string): string => join(homeDir, '.nvm/versions/node', version, 'bin/npx');
    for (const version of ['v9.11.2', 'v22.3.0', 'v20.20.2']) {
      await mkdir(dirname(bin(version)), { recursive: true });
      await writeFile(bin(version), '', { mode: 0o755 });
    }
    expect((await lookUp({ homeDir, disk: realDisk })).file).toBe(bin('v22.3.0'));
  });

  it('names the folders that were searched and the likely fix', async () => {
    const error: unknown = await lookUp({}).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'command-not-found', data: { command: 'npx' } });
    expect(String(error)).toMatch(
      /npx was not found in \/configured, \/both, \/ours, \/login,.* and \d+ more\. Install Node/,
    );
    expect((error as { data: { searched: string[] } }).data.searched).toContain('/home/x/.nvm/versions/node/*/bin');
  });

  it('takes a path as it is, from the working folder of the server', async () => {
    const disk = diskOf({ '/srv/bin/server': '', '/opt/server': '' });
    expect((await lookUp({ command: './bin/server', cwd: '/srv', disk })).file).toBe('/srv/bin/server');
    expect((await lookUp({ command: '/opt/server', cwd: '/srv', disk })).file).toBe('/opt/server');
    await expect(lookUp({ command: '/opt/nothing', disk })).rejects.toMatchObject({ code: 'command-not-found' });
  });

  it('never takes a folder of the working folder from a PATH', async () => {
    const disk = diskOf({ 'bin/npx': '', './npx': '', npx: '' });
    const none = { PATH: 'bin:.:' };
    await expect(lookUp({ env: none, ours: none, disk })).rejects.toMatchObject({ code: 'command-not-found' });
  });

  it('takes only files that may be executed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-'));
    await mkdir(join(folder, 'a/npx'), { recursive: true });
    await mkdir(join(folder, 'b'));
    await writeFile(join(folder, 'b/npx'), '');
    await mkdir(join(folder, 'c'));
    await writeFile(join(folder, 'c/npx'), '');
    await chmod(join(folder, 'c/npx'), 0o755);
    const env = { PATH: ['a', 'b', 'c'].map(name => join(folder, name)).join(':') };
    expect((await lookUp({ env, disk: realDisk })).file).toBe(join(folder, 'c/npx'));
  });
});

describe('lookUpCommand on Windows', () => {
  const windows = {
    platform: 'win32',
    homeDir: String.raw`C:\Users\x`,
    env: { Path: String.raw`C:\tools;C:\Program Files\nodejs`, PATHEXT: '.COM;.EXE;.BAT;.CMD' },
    ours: {},
    loginPath: () => Promise.resolve([]),
  } as const;
  const shim = String.raw`"%_prog%"  "%dp0%\node_modules\npm\bin\npx-cli.js" %*`;

  it('starts the script of a shim by the node beside it, without a shell', async () => {
    const disk = diskOf({
      [String.raw`C:\Program Files\nodejs\npx.cmd`]: shim,
      [String.raw`C:\Program Files\nodejs\node.exe`]: '',
    });
    expect(await lookUp({ ...windows, disk })).toEqual({
      file: String.raw`C:\Program Files\nodejs\node.exe`,
      args: [String.raw`C:\Program Files\nodejs\node_modules\npm\bin\npx-cli.js`],
    });
  });

  it('finds node on the PATH if there is none beside the shim', async () => {
    const disk = diskOf({
      [String.raw`C:\Users\x\AppData\Roaming\npm\npx.cmd`]: shim,
      [String.raw`C:\Program Files\nodejs\node.exe`]: '',
    });
    expect(await lookUp({ ...windows, disk })).toMatchObject({
      file: String.raw`C:\Program Files\nodejs\node.exe`,
      args: [String.raw`C:\Users\x\AppData\Roaming\npm\node_modules\npm\bin\npx-cli.js`],
    });
  });

  it('prefers a program over a batch file of the same folder, and refuses a batch file that is no shim', async () => {
    const exe = diskOf({ [String.raw`C:\tools\npx.exe`]: '', [String.raw`C:\tools\npx.cmd`]: 'echo' });
    expect((await lookUp({ ...windows, disk: exe })).file).toBe(String.raw`C:\tools\npx.exe`);
    const batch = diskOf({ [String.raw`C:\tools\npx.cmd`]: 'echo' });
    await expect(lookUp({ ...windows, disk: batch })).rejects.toMatchObject({ code: 'failed-to-start' });
  });
});
