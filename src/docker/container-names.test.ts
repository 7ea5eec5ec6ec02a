import { describe, expect, it } from 'vitest';
import type { AgentId, InstanceId } from '../core/ids.ts';
import { containerNames, createNameBook, type NameParts } from './container-names.ts';

const parts = (name: string, agentId = 'did:x:a'): NameParts => ({
  name,
  pid: 4242,
  agentId: agentId as AgentId,
  instance: 'i1' as InstanceId,
});

describe('names of docker-run containers', () => {
  it('R18: are made of the configured name and our process id', () => {
    expect(containerNames(parts('github'))).toEqual({ probe: 'rax-probe-github-4242', managed: 'rax-mcp-github-4242' });
  });

  it('R19: get a hash where the name had to be changed or cut, so that look-alikes stay apart', () => {
    const names = ['a.b', 'a_b', 'a b', 'a/b', 'a-b', 'é', 'x'.repeat(40), 'x'.repeat(41)].map(
      name => containerNames(parts(name)).managed,
    );
    expect(new Set(names).size).toBe(names.length);
    expect(names.slice(0, 2)).toEqual(['rax-mcp-a.b-4242', 'rax-mcp-a_b-4242']);
    expect(names[2]).toMatch(/^rax-mcp-a-b-4242-[0-9a-f]{8}$/);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,80}$/);
  });

  it('R19: are never given twice at one time in one process, to two agents or to one', () => {
    const book = createNameBook();
    const first = book.take(parts('github'));
    const others = [book.take(parts('github', 'did:x:b')), book.take(parts('github')), book.take(parts('github'))];
    const taken = [first, ...others].flatMap(({ probe, managed }) => [probe, managed]);
    expect(new Set(taken).size).toBe(8);
    first.release();
    expect(book.take(parts('github')).managed).toBe('rax-mcp-github-4242');
  });
});
