import { describe, expect, it } from 'vitest';
import { chromiumOf } from './chromium.ts';

describe('the browser of the tests of the page', () => {
  it('that is missing leaves them out and says so in one line', async () => {
    const lines: string[] = [];
    const found = await chromiumOf({ PATH: '/nowhere' }, line => lines.push(line));
    expect(found).toEqual({ available: false, reason: 'there is no Chromium on PATH' });
    expect(lines.join('')).toMatch(/^Tests of the page left out: there is no Chromium on PATH .*CHROMIUM_PATH\)\n$/);
  });

  it('that does not run is named', async () => {
    const found = await chromiumOf({ CHROMIUM_PATH: '/nowhere/chromium' }, () => {});
    expect(found).toMatchObject({
      available: false,
      reason: expect.stringContaining('/nowhere/chromium does not run'),
    });
  });

  it('that is missing in CI is a failure', async () => {
    await expect(chromiumOf({ PATH: '/nowhere', CI: 'true' }, () => {})).rejects.toThrow('CI must run');
  });

  it('is the program that CHROMIUM_PATH names, whatever is on PATH', async () => {
    const env = { PATH: process.env['PATH'], CHROMIUM_PATH: process.execPath };
    expect(await chromiumOf(env, () => {})).toEqual({ available: true, path: process.execPath });
  });
});
