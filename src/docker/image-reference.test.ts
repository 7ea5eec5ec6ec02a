import { describe, expect, it } from 'vitest';
import type { AgentId } from '../core/ids.ts';
import { imageServerId, imageServerKey, normaliseImage, parseImage } from './image-reference.ts';

const a = 'did:x:a' as AgentId;
const b = 'did:x:b' as AgentId;
const digest = `sha256:${'0a'.repeat(32)}`;

describe('image references', () => {
  it('R55: have their tag made explicit', () => {
    expect(normaliseImage('mcp/time')).toBe('mcp/time:latest');
    expect(normaliseImage('mcp/time:v3')).toBe('mcp/time:v3');
    expect(normaliseImage('host:5000/img')).toBe('host:5000/img:latest');
    expect(normaliseImage(`img@${digest}`)).toBe(`img@${digest}`);
    expect(normaliseImage(`host:5000/img:1@${digest}`)).toBe(`host:5000/img:1@${digest}`);
  });

  it('R55: give one identity to one image of one agent', () => {
    expect(imageServerId(a, 'mcp/time')).toBe(imageServerId(a, 'mcp/time:latest'));
    expect(imageServerId(a, 'mcp/time')).not.toBe(imageServerId(b, 'mcp/time'));
    expect(imageServerId(a, 'a/b:c')).not.toBe(imageServerId(a, 'a-b-c'));
    expect(imageServerId(a, 'ghcr.io/some/very/long/name/of/an/image:v1')).toMatch(
      /^mcp-[A-Za-z0-9-]{1,32}-[0-9a-f]{16}$/,
    );
    expect(imageServerId(a, 'mcp/time')).toMatch(/^mcp-mcp-time-latest-[0-9a-f]{16}$/);
  });

  it('suggest a server key without host and default tag', () => {
    expect(imageServerKey('mcp/time')).toBe('mcp-time');
    expect(imageServerKey('ghcr.io/github/github-mcp-server:latest')).toBe('github-github-mcp-server');
    expect(imageServerKey('localhost:5000/x.y:v1.2')).toBe('x-y-v1-2');
    expect(imageServerKey(`img@${digest}`)).toBe('img-0a0a0a0a0a0a');
    expect(imageServerKey(`${'long/'.repeat(20)}x`)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('tell a registry from a folder as Docker does', () => {
    expect(parseImage('localhost/x')).toMatchObject({ host: 'localhost', path: 'x' });
    expect(parseImage('org/x')).toMatchObject({ host: undefined, path: 'org/x' });
    expect(parseImage('[::1]:5000/x')).toMatchObject({ host: '[::1]:5000', path: 'x' });
  });

  it('R70: are refused with whitespace around them, or where Docker would refuse them', () => {
    for (const bad of [
      '',
      ' img',
      'img ',
      'img\u00a0',
      'img\n',
      '\ufeffimg',
      'Img',
      'a//b',
      'img:',
      'img@x',
      'img:a b',
      '-x',
      '--privileged',
      'a@b@c',
    ]) {
      expect(() => normaliseImage(bad)).toThrow(expect.objectContaining({ code: 'usage' }));
    }
  });
});
