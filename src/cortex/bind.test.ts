import { describe, expect, it } from 'vitest';
import { type Bind, checkBind, isLoopback, localUrl } from './bind.ts';

const bind = (changes: Partial<Bind>): Bind => ({
  host: '127.0.0.1',
  port: 7411,
  allowedHosts: [],
  insecureHttp: false,
  ...changes,
});
const tls = { cert: 'c', key: 'k' };

describe('where Cortex may listen', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost', 'LocalHost'])('is %s without more', host => {
    expect(isLoopback(host)).toBe(true);
    expect(() => checkBind(bind({ host }))).not.toThrow();
  });

  it.each(['0.0.0.0', '::', '192.168.1.7', '127.0.0.1.evil.example', 'box.lan', '', '127.1', '::ffff:192.168.1.7'])(
    'is %j only with names and encryption, or the explicit will to do without',
    host => {
      expect(() => checkBind(bind({ host }))).toThrow('--allow-host');
      expect(() => checkBind(bind({ host, allowedHosts: ['box.lan'] }))).toThrow('--tls-cert and --tls-key');
      expect(() => checkBind(bind({ host, tls }))).toThrow('--allow-host');
      expect(() => checkBind(bind({ host, insecureHttp: true }))).toThrow('--allow-host');
      expect(() => checkBind(bind({ host, allowedHosts: ['box.lan'], tls }))).not.toThrow();
      expect(() => checkBind(bind({ host, allowedHosts: ['box.lan'], insecureHttp: true }))).not.toThrow();
    },
  );
});

describe('localUrl', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:7'],
    ['0.0.0.0', 'http://127.0.0.1:7'],
    ['::', 'http://[::1]:7'],
    ['::1', 'http://[::1]:7'],
    ['192.168.1.5', 'http://192.168.1.5:7'],
    ['localhost', 'http://localhost:7'],
  ])('reaches what listens on %s from this machine', (host, url) => {
    expect(localUrl({ host }, 7)).toBe(url);
    expect(localUrl({ host, tls: { cert: '', key: '' } }, 7)).toBe(url.replace('http:', 'https:'));
  });
});
