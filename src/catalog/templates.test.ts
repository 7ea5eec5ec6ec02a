import { describe, expect, it } from 'vitest';
import { filled, keysIn } from './templates.ts';

const values = { 'a.path': '/home/me', 'a.paths': '/x,/y\n/z', 'a.win': 'C:\\data\\in', 'a.empty': '' };

describe('templates of a catalog', () => {
  it.each<[string, readonly string[]]>([
    ['plain', ['plain']],
    ['{{a.path}}', ['/home/me']],
    ['--dir={{ a.path }}/x', ['--dir=/home/me/x']],
    ['{{a.none}}', ['']],
    ['{{a.none|or:eu}}', ['eu']],
    ['{{a.empty|or:[a,b]}}', ['a', 'b']],
    ['{{a.path|or:eu}}', ['/home/me']],
    ['{{a.paths|into}}', ['/x', '/y', '/z']],
    ['{{a.paths|first}}', ['/x']],
    ['{{a.paths|last}}', ['/z']],
    ['{{a.paths|volume|into}}', ['/x:/x', '/y:/y', '/z:/z']],
    ['{{a.win|volume}}', ['C:\\data\\in:/C/data/in']],
    ['{{a.paths|volume-target}}', ['/x', '/y', '/z']],
    ['{{a.path|mount_as:/data}}', ['/home/me:/data']],
    ['{{a.none|volume|into}}', []],
    ['{{constructor}}', ['']],
    ['{{a.path}}:{{a.empty}}', ['/home/me:']],
  ])('%s', (template, expected) => {
    expect(filled(template, values)).toEqual(expected);
  });

  it('tell which keys they ask for', () => {
    expect(keysIn('{{a.b|or:x}} {{ c.d }}')).toEqual(['a.b', 'c.d']);
  });
});
