import { describe, expect, it } from 'vitest';
import { plan } from './plan.ts';
import { programOf } from './program-of.ts';

const imageProgram = (ref: string) => programOf(plan(ref));

describe('programOf', () => {
  it('tells an image by its registry, tag and digest, however its server key reads', () => {
    const refs = ['mcp/github', 'evil.example/mcp/github', 'mcp/github:1', `mcp/github@sha256:${'a'.repeat(64)}`];
    const programs = refs.map(imageProgram);
    expect(new Set(programs.map(({ digest }) => digest)).size).toBe(refs.length);
    expect(programs.map(({ text }) => text)).toEqual([
      'docker.io/mcp/github:latest',
      'evil.example/mcp/github:latest',
      'docker.io/mcp/github:1',
      `docker.io/mcp/github@sha256:${'a'.repeat(64)}`,
    ]);
  });

  it('is the same for the same image, however Docker Hub is written', () => {
    const same = ['time', 'library/time', 'docker.io/time', 'docker.io/library/time:latest', 'index.docker.io/time'];
    expect(new Set(same.map(ref => imageProgram(ref).digest)).size).toBe(1);
  });

  it('differs where a command, an argument, a folder or an address does, and not for another key of the same', () => {
    const config = { name: 'notes', command: 'node', args: ['server.js'], cwd: '/srv/a' };
    const digest = (more: object) => programOf(plan({ ...config, ...more })).digest;
    const others = [
      { command: 'bun' },
      { args: ['server.js', '--all'] },
      { args: ['server.js --all'] },
      { cwd: '/srv/b' },
    ];
    expect(new Set([digest({}), ...others.map(digest)]).size).toBe(others.length + 1);
    expect(digest({ env: { API_KEY: '2' } })).toBe(digest({ env: { API_KEY: '1' } }));
    const remote = (endpoint: string) => programOf(plan({ name: 'notes', endpoint })).digest;
    expect(remote('https://a.example/mcp')).not.toBe(remote('https://b.example/mcp'));
  });

  it('shows no secret of the command line', () => {
    const { text } = programOf(plan({ name: 'x', command: 'npx', args: ['x', '--api-key=sk-ant-REDACTED'] }));
    expect(text).not.toContain('abcdefghijklmnopqrstuvwxyz');
  });
});
