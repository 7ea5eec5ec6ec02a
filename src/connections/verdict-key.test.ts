import { describe, expect, it } from 'vitest';
import { agentId } from '../core/ids.ts';
import { verdictKey } from './verdict-key.ts';

const subject = {
  agentId: agentId('did:key:zA'),
  server: { kind: 'remote', url: 'https://example.test/mcp' },
  credential: { Authorization: 'Bearer one', 'X-Other': '1' },
};

describe('verdictKey', () => {
  it('is the same for the same server, agent and credential, in whatever order they are written', () => {
    const credential = { 'X-Other': '1', Authorization: 'Bearer one' };
    expect(verdictKey({ ...subject, credential })).toBe(verdictKey(subject));
  });

  it.each([
    ['another credential', { ...subject, credential: { Authorization: 'Bearer two', 'X-Other': '1' } }],
    ['another agent', { ...subject, agentId: agentId('did:key:zB') }],
    ['another server', { ...subject, server: { kind: 'remote', url: 'https://example.test/other' } }],
    ['the same value elsewhere', { ...subject, server: subject.credential, credential: subject.server }],
  ])('is another for %s', (_what, other) => {
    expect(verdictKey(other)).not.toBe(verdictKey(subject));
  });

  it('shows nothing of the credential', () => {
    expect(verdictKey(subject)).toMatch(/^[0-9a-f]{64}$/);
  });
});
