import { describe, expect, it } from 'vitest';
import { expandPath } from './expand-path.ts';

const folders = { home: '/home/me', cwd: '/work/here' };
const value = (name: string, text: string) => expandPath({ name, spelled: name, value: text }, folders).value;

describe('D16: paths that a shell would have written out', () => {
  it.each([
    ['--volume', '~/docs:/d', '/home/me/docs:/d'],
    ['--volume', '~:/d:ro', '/home/me:/d:ro'],
    ['--volume', '$PWD:/d', '/work/here:/d'],
    ['--volume', '${PWD}/a b:/d', '/work/here/a b:/d'],
    ['--volume', '$HOME/x:/d', '/home/me/x:/d'],
    ['--mount', 'type=bind,source=~/x,target=/~/y', 'type=bind,source=/home/me/x,target=/~/y'],
    ['--mount', 'type=bind,"src=$PWD/x",dst=/y', 'type=bind,"src=/work/here/x",dst=/y'],
    ['--env-file', '~/.env', '/home/me/.env'],
  ])('are written out in %s %s', (name, text, expected) => {
    expect(value(name, text)).toBe(expected);
  });

  it.each([
    ['--volume', 'data:/d'],
    ['--volume', '~other/x:/d'],
    ['--volume', '$PWDX/x:/d'],
    ['--volume', '/a/~/b:/d'],
    ['--env', 'A=~/x'],
  ])('leave %s %s as it is', (name, text) => {
    expect(value(name, text)).toBe(text);
  });
});
