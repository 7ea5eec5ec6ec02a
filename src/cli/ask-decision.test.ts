import { describe, expect, it } from 'vitest';
import { approvalView } from '../../test/fixtures/approval-view.ts';
import { recordedTerminal } from '../../test/fixtures/recorded-terminal.ts';
import { askDecision, decisionOf } from './ask-decision.ts';

const all = ['once', 'session', 'always'] as const;

describe('decisionOf', () => {
  it.each([
    ['o', { approve: true, scope: 'once' }],
    ['once', { approve: true, scope: 'once' }],
    ['y', { approve: true, scope: 'once' }],
    ['yes', { approve: true, scope: 'once' }],
    ['s', { approve: true, scope: 'session' }],
    ['always', { approve: true, scope: 'always' }],
    ['r', { approve: false }],
    ['no', { approve: false }],
  ])('reads %s', (word, decision) => {
    expect(decisionOf(word, all)).toEqual(decision);
  });

  it('never takes a word for more than was offered, nor for half of one', () => {
    expect(decisionOf('always', ['once'])).toBeUndefined();
    expect(decisionOf('a', ['once'])).toBeUndefined();
    for (const word of ['on', 'oncee', 'alway', 'ok', 'x', 'rejec']) expect(decisionOf(word, all)).toBeUndefined();
  });
});

describe('askDecision', () => {
  it('shows who asks for what with which arguments and why, and what has changed', async () => {
    const terminal = recordedTerminal({ answers: ['o'] });
    const changed = [{ path: 'description', before: 'old', after: 'new' }];
    await askDecision(approvalView({ changed }), terminal);
    for (const part of ['files.write', 'client:cursor', '{"path":"/srv/a"}', 'No rule speaks', '"old" → "new"']) {
      expect(terminal.errText()).toContain(part);
    }
  });

  it('shows what a server or caller has written, and obeys none of it', async () => {
    const terminal = recordedTerminal({ answers: [''] });
    await askDecision(approvalView({ args: '{"a":"\u001b[2K\u202e"}', tool: 'write\n\u001b[1A' }), terminal);
    expect(terminal.errText()).toContain('\\u{1b}');
    for (const code of ['\u001b', '\u202e']) expect(terminal.errText()).not.toContain(code);
  });

  it('asks again after a word that is no answer, and leaves the question open for an empty line or the end', async () => {
    const again = recordedTerminal({ answers: ['maybe', 'R'] });
    expect(await askDecision(approvalView(), again)).toEqual({ approve: false });
    expect(again.errText()).toContain('"maybe" is none of these');
    expect(await askDecision(approvalView(), recordedTerminal({ answers: [''] }))).toBeUndefined();
    expect(await askDecision(approvalView(), recordedTerminal({ answers: [] }))).toBeUndefined();
  });

  it('offers only what may be given', async () => {
    const terminal = recordedTerminal({ answers: ['a', 'o'] });
    const decision = await askDecision(approvalView({ scopes: ['once'] }), terminal);
    expect(decision).toEqual({ approve: true, scope: 'once' });
    expect(terminal.errText()).not.toContain('[a]lways');
  });
});
