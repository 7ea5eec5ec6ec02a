import { describe, expect, it } from 'vitest';
import { boundedLog } from './bounded-log.ts';
import { parseRun } from './parse-run.ts';

const added = (...flags: readonly string[]) => {
  const run = parseRun('docker', ['run', ...flags, 'img']);
  return run && boundedLog(run).map(([, value]) => value);
};

describe('D14: the log of a container', () => {
  it.each([
    [[], ['json-file', 'max-size=1m', 'max-file=1']],
    [
      ['--log-opt', 'tag=x'],
      ['json-file', 'max-size=1m', 'max-file=1'],
    ],
    [
      ['--log-opt', 'max-file=3'],
      ['json-file', 'max-size=1m'],
    ],
    [
      ['--log-opt', 'max-size=-1'],
      ['json-file', 'max-size=1m', 'max-file=1'],
    ],
    [
      ['--log-opt', 'compress=true'],
      ['json-file', 'max-size=1m', 'max-file=2'],
    ],
    [['--log-driver', 'json-file'], ['max-size=1m']],
    [['--log-driver=local', '--log-opt', 'compress=false'], ['max-size=1m']],
  ] as const)('is bounded beside %j', (flags, expected) => {
    expect(added(...flags)).toEqual(expected);
  });

  it('keeps a bound of the user, and drivers that keep no file', () => {
    expect(added('--log-driver', 'json-file', '--log-opt', 'max-size=20m')).toEqual([]);
    expect(added('--log-driver', 'journald')).toEqual([]);
    expect(added('--log-driver', 'none')).toEqual([]);
    expect(added('--log-opt', 'syslog-address=udp://127.0.0.1:1')).toEqual([]);
  });
});
