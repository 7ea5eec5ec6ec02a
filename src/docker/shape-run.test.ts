import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRun, type RunCommand } from './parse-run.ts';
import { parsePublish } from './publish.ts';
import { type OurFlags, reviewRun, shapeRun } from './shape-run.ts';

const ours: OurFlags = {
  name: 'rax-probe-x-1',
  cidfile: '/c',
  envFile: '/e',
  labels: { 'dev.longshore.home': 'h' },
  publish: [],
};

function parse(...args: readonly string[]): RunCommand {
  const run = parseRun('docker', args);
  if (run === undefined) throw new Error('not a docker run');
  return run;
}

function shaped(args: readonly string[], more: Partial<OurFlags> = {}): readonly string[] {
  return shapeRun(reviewRun(parse(...args), {}), { ...ours, ...more });
}

const notesOf = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  reviewRun(parse(...args), env).notes;

describe('R12: shaping a docker run command', () => {
  it('puts our flags before the image, after the user’s own', () => {
    const args = shaped(['run', '--cap-add', 'SYS_ADMIN', 'img', 'x']);
    expect(args.slice(0, 3)).toEqual(['run', '--cap-add', 'SYS_ADMIN']);
    expect(args.slice(-2)).toEqual(['img', 'x']);
    const between = args.slice(3, args.indexOf('img'));
    expect(between).toEqual(
      expect.arrayContaining(['--rm', '-i', '--init', '--name', '--cidfile', '--label', '--log-opt']),
    );
  });

  it('takes over what we must own, without doubling it, and says so where it matters', () => {
    const args = shaped([
      'run',
      '-dit',
      '--rm',
      '--name',
      'mine',
      '--restart=always',
      '--cidfile',
      'x',
      'img',
      '-d',
      '--rm',
    ]);
    expect(args.slice(-3)).toEqual(['img', '-d', '--rm']);
    const flags = args.slice(0, -3);
    expect(flags.filter(flag => flag === '--rm')).toHaveLength(1);
    expect(flags.filter(flag => flag === '--name')).toHaveLength(1);
    expect(flags).not.toContain('mine');
    expect(flags.join(' ')).not.toMatch(/-d\b|-t\b|--restart|always/);
    const notes = notesOf(['run', '-dit', '--rm', '--name', 'mine', '--restart=always', 'img']);
    expect(notes.map(note => note.data?.flag)).toEqual(['-d', '-t', '--name', '--restart']);
  });

  it('has nothing to say about switches that mean what we do anyway, and tells of those it does not follow', () => {
    expect(notesOf(['run', '-i', '--rm', '--init', '-d=false', '-t=false', 'img'])).toEqual([]);
    expect(notesOf(['run', '--rm=false', '-i=false', 'img']).map(note => note.message)).toEqual([
      expect.stringContaining('--rm=false was not followed'),
      expect.stringContaining('-i=false was not followed'),
    ]);
  });

  it('keeps the user’s flags in their order and the command as it is, whatever they are', () => {
    const kept = fc.constantFrom('--env', '--cap-drop', '--volume', '--user', '--workdir', '--dns');
    const value = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(kept, value)), fc.array(fc.string()), (flags, command) => {
        const args = shaped(['run', ...flags.flat(), 'img', ...command]);
        expect(args.slice(1, 1 + flags.length * 2)).toEqual(flags.flat());
        expect(args.slice(args.length - command.length - 1)).toEqual(['img', ...command]);
      }),
    );
  });

  it('pulls in a phase of its own, so the run itself never does', () => {
    const { pull, platform } = reviewRun(parse('run', '--pull', 'always', '--platform', 'linux/arm64', 'img'), {});
    expect({ pull, platform }).toEqual({ pull: 'always', platform: 'linux/arm64' });
    const args = shaped(['run', '--pull', 'always', 'img']);
    expect(args[args.indexOf('--pull') + 1]).toBe('never');
    expect(args).not.toContain('always');
  });

  it('bounds the log on disk unless the user chose a log', () => {
    expect(shaped(['run', 'img'])).toContain('max-size=1m');
    expect(shaped(['run', '--log-driver', 'journald', 'img']).join(' ')).not.toContain('max-size');
  });

  it('refuses what runs no image', () => {
    expect(() => notesOf(['run', '--help', 'img'])).toThrow(/--help/);
  });
});

describe('R11: ports', () => {
  it('moves a port without an address to loopback and says so', () => {
    const args = shaped(['run', '-p', '3000:3000', '--publish=53/udp', '-p', 'published=80,target=8080', 'img']);
    expect(args).toContain('127.0.0.1:3000:3000');
    expect(args).toContain('127.0.0.1::53/udp');
    expect(args).toContain('127.0.0.1:80:8080');
    expect(notesOf(['run', '-p', '3000:3000', 'img'])).toMatchObject([{ code: 'port-on-loopback' }]);
  });

  it('leaves an address that the user named', () => {
    expect(shaped(['run', '-p', '0.0.0.0:3000:3000', '-p', '[::1]:80:80', 'img'])).toEqual(
      expect.arrayContaining(['0.0.0.0:3000:3000', '[::1]:80:80']),
    );
  });

  it('lets the engine choose a port for the container’s, unless the user’s own covers it', () => {
    expect(shaped(['run', 'img'], { publish: [3000] })).toContain('127.0.0.1::3000');
    expect(shaped(['run', '-p', '9000:3000', 'img'], { publish: [3000] })).not.toContain('127.0.0.1::3000');
    expect(shaped(['run', '-p', '3000-3005:3000-3005', 'img'], { publish: [3004] })).not.toContain('127.0.0.1::3004');
    expect(shaped(['run', '-p', '3000:3000/udp', 'img'], { publish: [3000] })).toContain('127.0.0.1::3000');
    for (const address of ['0.0.0.0', '127.0.0.2', '[::1]', '192.0.2.1']) {
      // D8: we ask on 127.0.0.1, whatever else the user wants.
      const args = shaped(['run', '-p', `${address}:3000:3000`, 'img'], { publish: [3000] });
      expect(args).toEqual(expect.arrayContaining([`${address}:3000:3000`, '127.0.0.1::3000']));
    }
  });

  it('reads every form of a publish', () => {
    const form = (value: string) => Object.values(parsePublish(value));
    expect(form('80')).toEqual(['', '', '80', 'tcp']);
    expect(form('127.0.0.1::80')).toEqual(['127.0.0.1', '', '80', 'tcp']);
    expect(form('::1:8080:80')).toEqual(['::1', '8080', '80', 'tcp']);
    expect(form('[::]:8080:80/SCTP')).toEqual(['::', '8080', '80', 'sctp']);
  });
});

describe('R17: what the container sees of the environment', () => {
  it('warns for each configured variable that no -e passes on', () => {
    const notes = notesOf(['run', '-e', 'A', '--env=B=1', 'img'], { A: '1', B: '2', C: '3', DOCKER_HOST: 'unix:///x' });
    expect(notes.map(note => note.data?.name)).toEqual(['C']);
    expect(notesOf(['run', '--env-file', 'f', 'img'], { C: '3' })).toEqual([]);
  });

  it('tells that localhost inside a container is the container', () => {
    const codes = (...args: readonly string[]) => notesOf(['run', ...args]).map(note => note.code);
    expect(codes('-e', 'URL=http://localhost:5432', 'img')).toEqual(['localhost-in-container']);
    expect(codes('img', '--url', 'http://127.0.0.1:9090')).toEqual(['localhost-in-container']);
    expect(codes('--network', 'host', 'img', 'http://127.0.0.1:9090')).toEqual([]);
  });
});

describe('Windows paths', () => {
  const volume = (value: string) => reviewRun(parse('run', '-v', value, 'img'), {}).run.flags[0];

  it('become mounts, which have no colon to be confused by; a drive root keeps its slash', () => {
    expect(volume('C:\\Users\\me:/data:ro')?.value).toBe('type=bind,source=C:\\Users\\me,target=/data,readonly');
    expect(volume('C:/Users/me:/data')?.value).toBe('type=bind,source=C:/Users/me,target=/data');
    expect(volume('D:\\:/data')?.value).toBe('type=bind,source=D:\\,target=/data');
    expect(volume('C:\\a,b:/data')?.value).toBe('type=bind,"source=C:\\a,b",target=/data');
  });

  it('leave other volumes alone, a one-letter name too', () => {
    for (const value of ['/srv:/data:ro', 'c:/data', 'c:/data:ro', 'cache:/data', '/data']) {
      expect(volume(value)).toEqual({ name: '--volume', spelled: '-v', value });
    }
  });

  it('are refused where the engine could not mount them', () => {
    expect(() => volume('\\\\wsl$\\Ubuntu\\home:/data')).toThrow(/network path/);
  });
});
