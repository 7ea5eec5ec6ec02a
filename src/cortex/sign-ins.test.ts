import { describe, expect, it } from 'vitest';
import { createSignIns, signInLimits } from './sign-ins.ts';

function at(start: number) {
  const time = { now: start };
  return { time, signIns: createSignIns({ now: () => time.now, sleep: () => Promise.resolve() }) };
}

describe('a sign-in link', () => {
  it('is good once, for five minutes', () => {
    const { time, signIns } = at(1_000);
    const link = signIns.issue();
    const session = signIns.exchange(link);
    expect(session).toMatch(/^lss_[A-Za-z0-9_-]{43}$/);
    expect(signIns.exchange(link)).toBeUndefined();
    const early = signIns.issue();
    const late = signIns.issue();
    time.now += signInLimits.link - 1;
    expect(signIns.exchange(early)).toBeDefined();
    time.now += 1;
    expect(signIns.exchange(late)).toBeUndefined();
    expect(signInLimits.link).toBe(300_000);
  });

  it('is no session, and a session no link', () => {
    const { signIns } = at(0);
    const link = signIns.issue();
    expect(signIns.isSession(link)).toBe(false);
    const session = signIns.exchange(link) ?? '';
    expect(signIns.exchange(session)).toBeUndefined();
    expect(signIns.isSession(session)).toBe(true);
    for (const other of ['', 'lss_', link, `${session}x`]) expect(signIns.isSession(other)).toBe(false);
  });
});

describe('a session', () => {
  it('lasts as long as it shows signs of life, until it is ended', () => {
    const { time, signIns } = at(0);
    const session = signIns.exchange(signIns.issue()) ?? '';
    for (let use = 0; use < 3; use++) {
      time.now += signInLimits.idle - 1;
      expect(signIns.isSession(session)).toBe(true);
    }
    time.now += signInLimits.idle;
    expect(signIns.isSession(session)).toBe(false);
    const other = signIns.exchange(signIns.issue()) ?? '';
    signIns.end(other);
    expect(signIns.isSession(other)).toBe(false);
  });

  it('makes room for others when it is the one silent for longest, and unused links do too', () => {
    const { signIns } = at(0);
    const [first, second] = [signIns.exchange(signIns.issue()) ?? '', signIns.exchange(signIns.issue()) ?? ''];
    expect(signIns.isSession(first)).toBe(true);
    for (let more = 0; more < 63; more++) signIns.exchange(signIns.issue());
    expect(signIns.isSession(second)).toBe(false);
    expect(signIns.isSession(first)).toBe(true);
    const oldLink = signIns.issue();
    for (let more = 0; more < 64; more++) signIns.issue();
    expect(signIns.exchange(oldLink)).toBeUndefined();
  });
});
