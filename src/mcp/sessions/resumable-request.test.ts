import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { ResumableRequest, type Running } from './resumable-request.ts';

const never = new AbortController().signal;
const question = { method: 'elicitation/create', params: { message: 'Which?' } };

describe('a request of several rounds', () => {
  it('gives the result at once where nothing is asked', async () => {
    const request = new ResumableRequest(async () => ({ content: [] }));
    expect(await request.next(() => {}, never)).toEqual({ kind: 'result', result: { content: [] } });
  });

  it('gives questions round by round, and the answers to what runs, byte for byte', async () => {
    const seen: JsonObject[] = [];
    const request = new ResumableRequest(async running => {
      seen.push(await running.ask({ a: question }, running.signal));
      seen.push(await running.ask({ b: question, c: question }, running.signal));
      return { done: true };
    });
    expect(await request.next(() => {}, never)).toEqual({ kind: 'questions', questions: { a: question } });
    request.answer({ a: { action: 'accept' }, extra: 1 });
    expect(await request.next(() => {}, never)).toEqual({ kind: 'questions', questions: { b: question, c: question } });
    request.answer({});
    expect(await request.next(() => {}, never)).toEqual({ kind: 'result', result: { done: true } });
    expect(seen).toEqual([{ a: { action: 'accept' }, extra: 1 }, {}]);
  });

  it('takes two questions that come at once one after the other', async () => {
    const request = new ResumableRequest(async running => {
      const answers = ['x', 'y'].map(key => running.ask({ [key]: question }, running.signal));
      return { answers: await Promise.all(answers) };
    });
    expect(await request.next(() => {}, never)).toMatchObject({ questions: { x: question } });
    request.answer({ x: 1 });
    expect(await request.next(() => {}, never)).toMatchObject({ questions: { y: question } });
    request.answer({ y: 2 });
    expect(await request.next(() => {}, never)).toEqual({
      kind: 'result',
      result: { answers: [{ x: 1 }, { y: 2 }] },
    });
  });

  it('tells only the round that runs, and nobody between rounds', async () => {
    let running: Running | undefined;
    const request = new ResumableRequest(async given => {
      running = given;
      given.notify('notifications/progress', { progress: 1 });
      await given.ask({ a: question }, given.signal);
      given.notify('notifications/progress', { progress: 3 });
      return {};
    });
    const first: JsonObject[] = [];
    const second: JsonObject[] = [];
    // What runs is told of its first round only once that has begun.
    await request.next((_method, params) => first.push(params), never);
    running?.notify('notifications/progress', { progress: 2 });
    request.answer({});
    await request.next((_method, params) => second.push(params), never);
    expect(second).toEqual([{ progress: 3 }]);
    expect(first.every(({ progress }) => progress === 1)).toBe(true);
  });

  it('is ended by the client of any round, and rejects as what runs does', async () => {
    const gone = new AbortController();
    const request = new ResumableRequest(
      running =>
        new Promise((_, reject) =>
          running.signal.addEventListener('abort', () => reject(new Error('ended by its client'))),
        ),
    );
    const round = request.next(() => {}, gone.signal);
    gone.abort();
    await expect(round).rejects.toThrow('ended by its client');
  });

  it('forgets a question that the server has taken back', async () => {
    const taken = new AbortController();
    const request = new ResumableRequest(async running => {
      await running.ask({ a: question }, taken.signal).catch(() => {});
      return { went: 'on' };
    });
    await request.next(() => {}, never);
    taken.abort(new Error('taken back'));
    expect(await request.next(() => {}, never)).toEqual({ kind: 'result', result: { went: 'on' } });
  });
});
