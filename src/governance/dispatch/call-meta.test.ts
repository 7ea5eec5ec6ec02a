import { describe, expect, it } from 'vitest';
import { alice, endOf, governedWorld, tool } from '../../../test/fixtures/governed-world.ts';
import { callMeta } from './call-meta.ts';

describe('the _meta of a call', () => {
  it('counts but for what no server acts on: progress, trace context, the protocol and ourselves', () => {
    const own = {
      progressToken: 1,
      traceparent: '00-a-b-01',
      tracestate: 'x=y',
      baggage: 'a=b',
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'longshore/failure': {},
    };
    expect(callMeta(own)).toBeUndefined();
    expect(callMeta(undefined)).toBeUndefined();
    expect(callMeta({ ...own, 'com.example/tenant': 'b', a: 1 })?.meta).toEqual({ 'com.example/tenant': 'b', a: 1 });
    expect(callMeta({ a: 1, b: 2 })?.metaDigest).toBe(callMeta({ b: 2, a: 1 })?.metaDigest);
    expect(callMeta({ a: 1 })?.metaDigest).not.toBe(callMeta({ a: 2 })?.metaDigest);
  });

  it('is shown to who decides, and an approval is for a call with the very same (S14)', async () => {
    await using it = await governedWorld({ otherwise: 'ask' });
    it.load([tool('read')]);
    const asked = { patience: 0, meta: { tenant: 'b', api_key: 'sk-live-0123456789abcdef', progressToken: 7 } };
    expect(await endOf(it.call('files__read', { n: 1 }, asked))).toBe('approval-pending');
    const [question] = it.approvals.open(alice);
    expect(question?.meta).toContain('"tenant":"b"');
    expect(question?.meta).not.toContain('sk-live');
    expect(question?.meta).not.toContain('progressToken');
    expect(question?.unseen.folded).toBe(1);
    if (question === undefined) throw new Error('it was asked');
    await it.approvals.decide(it.operator, alice, question.id, { approve: true });
    for (const meta of [undefined, { ...asked.meta, tenant: 'c' }]) {
      const other = { patience: 0, ...(meta && { meta }) };
      expect(await endOf(it.call('files__read', { n: 1 }, other))).toBe('approval-pending');
    }
    expect(await endOf(it.call('files__read', { n: 1 }, { ...asked, meta: { ...asked.meta, progressToken: 8 } }))).toBe(
      'ok',
    );
    expect(it.sent().map(({ meta }) => meta?.['tenant'])).toEqual(['b']);
  });

  it('is in the record by its digest', async () => {
    await using it = await governedWorld({ otherwise: 'allow' });
    it.load([tool('read')]);
    await it.call('files__read', {}, { meta: { tenant: 'b' } });
    await it.call('files__read', {}, { meta: { progressToken: 1 } });
    await it.recorded();
    const rows = (await it.rows()).filter(({ kind }) => kind === 'authorisation');
    expect(rows.map(({ message }) => message)).toEqual([`_meta ${callMeta({ tenant: 'b' })?.metaDigest}`, null]);
  });
});
