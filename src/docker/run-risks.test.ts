import { describe, expect, it } from 'vitest';
import { flagRisk } from './flag-risk.ts';
import { parseRun } from './parse-run.ts';
import { runFlagTable } from './run-flags.ts';
import { findRisks, type RiskContext, refuseRisks } from './run-risks.ts';

const context: RiskContext = {
  platform: 'linux',
  cwd: '/home/me/project',
  home: '/home/me/.local/share/longshore',
  realPath: path => (path === '/home/me/link' ? '/home/me/.local' : path),
  engineSockets: ['/run/docker.sock', '/var/run/docker.sock', '/home/me/.engine/s'],
  isSocket: path => path === '/home/me/any',
};

function risks(...args: readonly string[]): readonly string[] {
  const run = parseRun('docker', ['run', ...args, 'img', '--privileged']);
  return findRisks(run?.flags ?? [], context).map(({ flag }) => flag);
}

const dangerous: readonly (readonly string[])[] = [
  ['--privileged'],
  ['--privileged=true'],
  ['--network', 'host'],
  ['--net=host'],
  ['--network', 'name=host,alias=x'],
  ['--pid', 'host'],
  ['--ipc=host'],
  ['--userns', 'host'],
  ['--cap-add', 'SYS_ADMIN'],
  ['--cap-add=cap_sys_ptrace'],
  ['--cap-add', 'all'],
  ['--security-opt', 'seccomp=unconfined'],
  ['--security-opt=apparmor:unconfined'],
  ['--security-opt', 'systempaths=unconfined'],
  ['--security-opt', 'label=disable'],
  ['--device', '/dev/kmsg'],
  ['--use-api-socket'],
  ['--volumes-from', 'other'],
  ['-P'],
  ['-p', '0.0.0.0:3000:3000'],
  ['-p', '[::]:3000:3000'],
  ['-p', '192.168.1.2:3000:3000'],
  ['-v', '/var/run/docker.sock:/var/run/docker.sock'],
  ['-v', '/run:/host-run'],
  ['-v', '/:/host:ro'],
  ['-v', '/home/me/.docker/run/docker.sock:/s'],
  ['--mount', 'type=bind,source=/run/docker.sock,target=/s'],
  ['--mount', 'SRC=/run/docker.sock,Type=BIND,dst=/s'],
  ['--mount', '"type=bind","src=/run/docker.sock",dst=/s'],
  ['--mount', 'type=volume,dst=/s,volume-opt=type=none,"volume-opt=o=bind,ro",volume-opt=device=/run'],
  ['-v', '/home/me:/home'],
  ['-v', '/home/me/.local/share/longshore/logs:/l'],
  ['-v', '../.local:/l'],
  ['-v', '/home/me/link:/l'],
  ['--env-file', '/home/me/.local/share/longshore/operator.token'],
  ['-v', '/proc:/host-proc'],
  ['-v', '/dev/shm:/shm'],
];

const found: readonly (readonly string[])[] = [
  ['--gpus', 'all'],
  ['--security-opt', 'label=type:spc_t'],
  ['--security-opt', 'seccomp=/tmp/mine.json'],
  ['--security-opt', 'apparmor=mine'],
  ['--pid', 'container:x'],
  ['--ipc', 'container:x'],
  ['--network', 'container:x'],
  ['--runtime', 'other'],
  ['--cgroup-parent', '/'],
  ['--cap-add', 'OF_TOMORROW'],
  ['--of-tomorrow=1'],
  ['-v', '/home/me/any:/s'],
  ['-v', '/home/me/.engine:/s'],
  ['--mount', 'type=bind,src=/home/me/.engine/s,dst=/s'],
];

const harmless: readonly (readonly string[])[] = [
  ['--privileged=false'],
  ['--network', 'none'],
  ['--network=my-host'],
  ['--pid', 'private'],
  ['--ipc', 'shareable'],
  ['--security-opt', 'seccomp=builtin'],
  ['--cap-add', 'NET_BIND_SERVICE'],
  ['--cap-drop', 'ALL'],
  ['--security-opt', 'no-new-privileges'],
  ['-P=false'],
  ['-p', '3000:3000'],
  ['-p', '127.0.0.1:3000:3000'],
  ['-v', '/home/me/project:/p'],
  ['-v', './data:/p'],
  ['-v', 'docker.sock:/p'],
  ['-v', '/srv/longshore:/p'],
  ['--mount', 'type=volume,source=run,target=/s'],
  ['--mount', 'type=tmpfs,dst=/tmp'],
  ['--env', 'X=--privileged'],
];

describe('flags that weaken isolation', () => {
  it.each(dangerous)('sees %s %s', (...flag) => {
    expect(risks(...flag)).toHaveLength(1);
  });

  it.each(found)('D9: sees %s %s by what it is', (...flag) => {
    expect(risks(...flag)).toHaveLength(1);
  });

  it.each(['docker', 'podman'] as const)(
    'D9: class every flag of the table of %s, and take any other for a risk',
    engine => {
      const { shapes } = runFlagTable(engine);
      const why = (name: string) => {
        const value = shapes.get(name) === 'switch' ? 'true' : 'x';
        return flagRisk({ name, spelled: name, value });
      };
      const unknown = why('--of-tomorrow');
      expect(unknown).toContain('does not know');
      expect([...shapes.keys()].filter(name => why(name) === unknown)).toEqual([]);
    },
  );

  it.each(harmless)('has nothing against %s %s', (...flag) => {
    expect(risks(...flag)).toEqual([]);
  });

  it('looks at flags only, not at the words after the image', () => {
    expect(risks()).toEqual([]);
  });

  it('tells paths by the rules of Windows there', () => {
    const run = parseRun('docker', ['run', '--mount', 'type=bind,source=c:/users/ME,target=/x', 'img']);
    const windows: RiskContext = {
      ...context,
      platform: 'win32',
      cwd: 'C:\\',
      home: 'C:\\Users\\me\\AppData\\longshore',
    };
    expect(findRisks(run?.flags ?? [], windows)).toHaveLength(1);
  });

  it('R11: refuses them unless allowed, naming the flag as written and the way to allow it', () => {
    const run = parseRun('docker', ['run', '-p', '0.0.0.0:3000:3000', '--privileged', 'img']);
    const found = findRisks(run?.flags ?? [], context);
    expect(() => refuseRisks(found)).toThrow(/-p 0\.0\.0\.0:3000:3000 \(and --privileged\).*--allow-unsafe/);
    expect(() => refuseRisks(found)).toThrow(expect.objectContaining({ code: 'unsafe-refused' }));
    expect(() => refuseRisks([])).not.toThrow();
  });
});
