import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordedDocker, recordedDocker } from '../../test/fixtures/docker/recorded-docker.ts';
import { createDockerCli, type DockerCli } from './docker-cli.ts';

let docker: RecordedDocker;
let cli: DockerCli;

beforeEach(async () => {
  docker = await recordedDocker();
  cli = createDockerCli({ program: docker.program, globals: ['--context', 'x'], env: docker.env });
});

afterEach(async () => {
  await docker[Symbol.asyncDispose]();
});

/** True while a process with that id is there. */
function alive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the docker CLI', () => {
  it('gives what a command printed and its code, whatever that is; the global flags come first', async () => {
    await docker.script([{ match: ['info'], code: 3, stdout: 'out', stderr: 'err' }]);
    expect(await cli.run(['info'], { deadline: 5_000 })).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' });
    expect((await docker.calls())[0]?.argv).toEqual(['--context', 'x', 'info']);
  });

  it('finds the command on the PATH it was given, and says plainly when there is none', async () => {
    await docker.script([{ match: ['info'], code: 0 }]);
    const onPath = createDockerCli({ env: docker.env });
    expect((await onPath.run(['info'], { deadline: 5_000 })).code).toBe(0);
    const nowhere = createDockerCli({ env: { PATH: '/nowhere' } });
    await expect(nowhere.run(['info'], { deadline: 5_000 })).rejects.toMatchObject({
      code: 'docker-unavailable',
      message: expect.stringContaining('Install Docker'),
    });
  });

  it('passes nothing of our environment on but what it was given', async () => {
    const bare = createDockerCli({ program: process.execPath, env: { ONLY: '1' } });
    const { stdout } = await bare.run(['-p', 'Object.keys(process.env).join()'], { deadline: 5_000 });
    expect(stdout.trim()).toBe('ONLY');
  });

  it('tells every line as it comes', async () => {
    await docker.script([{ match: ['pull'], code: 0, stdout: 'a\nb', stderr: 'c' }]);
    const lines: string[] = [];
    await cli.run(['pull'], { deadline: 5_000, onLine: line => lines.push(line) });
    expect(lines.sort()).toEqual(['a', 'b', 'c']);
  });

  it.each([false, true])(
    'ends a command at its deadline and rejects once it is gone (deaf to SIGTERM: %s)',
    async deaf => {
      await docker.script([{ match: ['pull'], hang: true, deaf }]);
      await expect(cli.run(['pull', 'a', 'b', 'c'], { deadline: 600 })).rejects.toMatchObject({
        code: 'timeout',
        message: expect.stringContaining('docker pull a b …'),
      });
      expect(alive((await docker.calls())[0]?.pid)).toBe(false);
    },
  );

  it('R50: ends a cancelled command and rejects once it is gone', async () => {
    await docker.script([{ match: ['pull'], hang: true }]);
    const abort = new AbortController();
    const running = cli.run(['pull'], { deadline: 60_000, signal: abort.signal });
    await docker.saw('start');
    abort.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect(alive((await docker.calls())[0]?.pid)).toBe(false);
    await expect(cli.run(['pull'], { deadline: 1, signal: abort.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect(await docker.calls()).toHaveLength(1);
  });

  it('gives up on a command that prints without end', async () => {
    const noisy = createDockerCli({ program: process.execPath, env: {} });
    const script = 'const line = "x".repeat(65536); const more = () => process.stdout.write(line, more); more();';
    await expect(noisy.run(['-e', script], { deadline: 60_000 })).rejects.toMatchObject({ code: 'docker-failed' });
  });

  it.runIf(process.platform === 'linux')(
    'runs apart from our terminal, whose Ctrl-C must not stop a removal',
    async () => {
      const shell = createDockerCli({ program: process.execPath, env: {} });
      const { stdout } = await shell.run(['-p', 'require("fs").readFileSync("/proc/self/stat", "utf8")'], {
        deadline: 5_000,
      });
      const group = (stat: string) => stat.slice(stat.lastIndexOf(')')).split(' ')[3];
      expect(group(stdout)).not.toBe(group(await readFile('/proc/self/stat', 'utf8')));
    },
  );
});
