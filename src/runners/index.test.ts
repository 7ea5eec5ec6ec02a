import { describe, expect, it } from 'vitest';
import { openServer, type ServerSpec } from './index.ts';
import type { OpenRequest } from './runner.ts';

describe('the table of runners', () => {
  it.each<[string, object, RegExp]>([
    ['a command without a name', { kind: 'process', command: '', args: [], env: {} }, /^command: /],
    ['an argument that is no text', { kind: 'process', command: 'x', args: [1], env: {} }, /^args\.0: /],
    [
      'a URL that is none',
      { kind: 'remote', url: 'x', transport: 'sse', inferred: true, headers: {} },
      /^url: is not a URL/,
    ],
    [
      'a network that no image gets',
      { kind: 'docker-image', image: 'a', args: [], env: {}, network: 'host' },
      /^network: /,
    ],
    [
      'a risk that nobody decided about',
      { kind: 'docker-run', name: 'a', command: 'docker', args: [], env: {} },
      /^allowUnsafe: /,
    ],
  ])('starts nothing from %s, and names the field', async (_, spec, words) => {
    const start = openServer(spec as ServerSpec, {} as OpenRequest);
    await expect(start).rejects.toMatchObject({ code: 'bad-config', message: expect.stringMatching(words) });
  });
});
