import { expect, it } from 'vitest';
import { withoutNpmPath } from './user-path.ts';

const added =
  '/p/node_modules/.bin:/node_modules/.bin:/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin';

it.each([
  [
    'U1: what npm put before it goes',
    { npm_execpath: 'x', PATH: `${added}:/usr/bin:/home/me/node_modules/.bin` },
    '/usr/bin:/home/me/node_modules/.bin',
  ],
  ['a PATH that npm has not touched stays', { PATH: `${added}:/usr/bin` }, `${added}:/usr/bin`],
  ['no PATH is none', { npm_execpath: 'x' }, undefined],
])('%s', (_what, env, path) => {
  expect(withoutNpmPath(env as Record<string, string>, 'linux')['PATH']).toBe(path);
});
