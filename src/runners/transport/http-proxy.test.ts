import { describe, expect, it } from 'vitest';
import { proxyFor } from './http-proxy.ts';

const used = (url: string, env: Record<string, string>): string | undefined => proxyFor(new URL(url), env)?.variable;

describe('B7: which proxy a URL goes through', () => {
  it.each([
    ['https://a.example/', { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://q:1' }, 'HTTPS_PROXY'],
    ['http://a.example/', { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://q:1' }, 'HTTP_PROXY'],
    ['https://a.example/', { HTTP_PROXY: 'http://q:1' }, undefined],
    ['https://a.example/', { all_proxy: 'q:1' }, 'all_proxy'],
    ['https://a.example/', { https_proxy: 'http://p:1', HTTPS_PROXY: 'http://q:1' }, 'https_proxy'],
    ['https://a.example/', { HTTPS_PROXY: 'socks5://p:1' }, undefined],
    ['https://a.example/', { HTTPS_PROXY: '' }, undefined],
  ])('%s with %o: %s', (url, env, variable) => {
    expect(used(url, env as Record<string, string>)).toBe(variable);
  });

  it.each(['localhost', '127.0.0.1', '127.8.8.8', '[::1]', 'app.localhost'])('never %s', host => {
    expect(used(`http://${host}/`, { HTTP_PROXY: 'http://q:1' })).toBeUndefined();
  });

  it.each([
    ['*', 'a.example', true],
    ['a.example', 'a.example', true],
    ['.example', 'a.example', true],
    ['*.example', 'a.example', true],
    ['example', 'a.example', true],
    ['xample', 'a.example', false],
    ['other,a.example:443', 'a.example', true],
    ['a.example:444', 'a.example', false],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['[fd00::1]', '[fd00::1]', true],
    ['fd00::/8', '[fd12::1]', true],
    ['10.0.0.0/99, nonsense/x', '10.1.2.3', false],
    ['A.Example.', 'a.example', true],
    ['', 'a.example', false],
  ])('NO_PROXY=%s and %s: %s', (list, host, excepted) => {
    expect(used(`https://${host}/`, { HTTPS_PROXY: 'http://p:1', NO_PROXY: list }) === undefined).toBe(excepted);
  });
});
