import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { wiredServer } from '../../../test/fixtures/wired-server.ts';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/ports/log.ts';
import { resultTooLarge } from './frames.ts';
import { createStdioWire, type StdioWire } from './stdio-wire.ts';
import type { Frame } from './wire.ts';

const request = (id: number, method: string, params = {}): Frame => ({ jsonrpc: '2.0', id, method, params });
const notification = (method: string): Frame => ({ jsonrpc: '2.0', method });
const response = (id: number): Frame => ({ jsonrpc: '2.0', id, result: {} });

/** A wire whose other end is the test itself. */
function wireToTest(maxLineBytes?: number) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const exit = Promise.withResolvers<void>();
  const wire = createStdioWire({
    stdin,
    stdout,
    exited: exit.promise,
    clock: systemClock,
    log: silentLog,
    ...(maxLineBytes !== undefined && { maxLineBytes }),
  });
  const say = (...frames: Frame[]): void =>
    void stdout.write(frames.map(frame => `${JSON.stringify(frame)}\n`).join(''));
  return { wire, stdin, stdout, exit: () => exit.resolve(), say };
}

function listen(wire: StdioWire): Frame[] {
  const heard: Frame[] = [];
  wire.onmessage = frame => void heard.push(frame);
  return heard;
}

async function answerTo(wire: StdioWire, id: number): Promise<Frame> {
  return new Promise(resolve => {
    wire.onmessage = frame => {
      if ('id' in frame && frame.id === id) resolve(frame);
    };
  });
}

async function connected(wire: StdioWire): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(wire);
  return client;
}

describe('the order of frames', () => {
  it('keeps every order, and gives each response a macrotask of its own after a notification', async () => {
    const { wire, say } = wireToTest();
    const heard = listen(wire);
    const inTurns: number[] = [];
    const sent = [notification('a'), response(1), notification('b'), response(2), response(3), notification('c')];
    say(...sent);
    for (let count = 0; count < 6; count++) {
      inTurns.push(heard.length);
      await turn();
    }
    expect(heard).toEqual(sent);
    // At once: a. One turn later: 1 and b. Then 2, 3 and c.
    expect(inTurns.slice(0, 3)).toEqual([1, 3, 6]);
  });

  it('hands over a progress notification that came in the same chunk as its response, every time', async () => {
    await using server = wiredServer('progress-in-same-chunk');
    const client = await connected(server.wire);
    for (let round = 0; round < 200; round++) {
      const seen: number[] = [];
      await client.callTool({ name: 'work' }, { onprogress: ({ progress }) => seen.push(progress) });
      expect(seen).toEqual([1, 2]);
    }
  });

  it('keeps what comes before anybody listens', async () => {
    const { wire, say } = wireToTest();
    const sent = [notification('a'), response(1), notification('b')];
    say(...sent);
    await turn();
    const heard = listen(wire);
    await turn();
    await turn();
    expect(heard).toEqual(sent);
  });

  it('shows every frame to an interceptor first, which may keep it', async () => {
    const { wire, say } = wireToTest();
    const heard = listen(wire);
    const stop = wire.intercept(frame => 'id' in frame && frame.id === 1);
    say(response(1), response(2));
    await turn();
    stop();
    say(response(1));
    await turn();
    await turn();
    expect(heard).toEqual([response(2), response(1)]);
  });

  it.each(['a consumer', 'an interceptor'])(
    'S2: ends alone, with protocol-error, when %s throws on a frame',
    async who => {
      const { wire, say } = wireToTest();
      const errors: Error[] = [];
      wire.onerror = error => void errors.push(error);
      const fail = (): never => {
        throw new TypeError('mine');
      };
      if (who === 'a consumer') wire.onmessage = fail;
      else wire.intercept(fail);
      say(notification('a'), response(1));
      await wire.closed;
      expect(wire.fault).toMatchObject({ code: 'protocol-error', cause: { message: 'mine' } });
      expect(errors[0]).toBe(wire.fault);
      expect(wire.explain?.(new Error('Connection closed'))).toBe(wire.fault);
    },
  );
});

describe('noise and long lines', () => {
  it('docker-problems 26: skips what is no message, counts it, keeps it without colours, and loses no message', async () => {
    await using server = wiredServer('noisy');
    const client = await connected(server.wire);
    const { content } = await client.callTool({ name: 'echo', arguments: { a: 1 } });
    expect(content).toEqual([{ type: 'text', text: '{"a":1}' }]);
    const [noise] = server.wire.diagnostics();
    expect(noise).toMatchObject({ code: 'stdout-noise', data: { count: 8 } });
    expect(noise?.message).toContain('Starting…');
    expect(noise?.data?.['lines']).toContain('listening on http://localhost:3000');
    expect(JSON.stringify(noise)).not.toContain('\\u001b');
  });

  it('keeps only the last noise lines, each cut', async () => {
    const { wire, stdout } = wireToTest();
    for (let line = 0; line < 1000; line++) stdout.write(`${line} ${'x'.repeat(10_000)}\n`);
    await turn();
    const [noise] = wire.diagnostics();
    expect(noise?.data?.['count']).toBe(1000);
    const lines = noise?.data?.['lines'] as string[];
    expect(lines).toHaveLength(20);
    expect(lines[19]).toMatch(/^999 x{296}$/);
  });

  it('reads a result of 8 MiB', async () => {
    await using server = wiredServer('big-result');
    const client = await connected(server.wire);
    const { content } = await client.callTool({ name: 'big' });
    expect(content).toEqual([{ type: 'text', text: 'x'.repeat(8 * 1024 * 1024) }]);
  });

  it('fails the one call whose result is over the limit, and the next call works', async () => {
    await using server = wiredServer('big-result', [], { maxLineBytes: 100_000 });
    const { wire } = server;
    const errors: unknown[] = [];
    wire.onerror = error => void errors.push(error);
    let answer = answerTo(wire, 1);
    await wire.send(request(1, 'tools/call', { arguments: { bytes: 1_000_000 } }));
    expect(await answer).toMatchObject({ id: 1, error: { code: resultTooLarge, data: { limit: 100_000 } } });
    expect(errors).toMatchObject([{ code: 'result-too-large' }]);
    expect(wire.diagnostics()).toMatchObject([{ code: 'line-too-long', data: { count: 1 } }]);
    answer = answerTo(wire, 2);
    await wire.send(request(2, 'tools/call', { arguments: { bytes: 10 } }));
    expect(await answer).toMatchObject({ id: 2, result: {} });
  });

  it('closes when a server floods it before it was asked anything', async () => {
    const { wire, say } = wireToTest();
    say(...Array.from({ length: 10_001 }, () => notification('spam')));
    await wire.closed;
    await expect(wire.start()).rejects.toMatchObject({ code: 'connection-lost' });
  });
});

describe('the end', () => {
  it('delivers what a server wrote before it exited, then closes once', async () => {
    const { wire, stdout, exit, say } = wireToTest();
    const heard = listen(wire);
    let closes = 0;
    wire.onclose = () => void closes++;
    say(notification('a'), response(1));
    stdout.write(JSON.stringify(response(2))); // cut off before its line end
    exit();
    stdout.end();
    await wire.closed;
    expect(heard).toEqual([notification('a'), response(1), response(2)]);
    await wire.close();
    expect(closes).toBe(1);
  });

  it('closes when the process is gone, although a grandchild holds its stdout', async () => {
    await using server = wiredServer('forking');
    const { wire, child } = server;
    const answer = answerTo(wire, 1);
    await wire.send(request(1, 'tools/list'));
    await answer;
    child.kill('SIGKILL');
    await wire.closed;
    expect(child.stdout?.readableEnded).toBe(false);
  });

  it('rejects a pending call when the server crashes', async () => {
    await using server = wiredServer('crash-mid-call');
    const client = await connected(server.wire);
    await expect(client.callTool({ name: 'crash' })).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  });

  it('makes no uncaught error of a broken pipe, only rejected sends', async () => {
    for (let round = 0; round < 20; round++) {
      await using server = wiredServer('deaf');
      server.child.kill('SIGKILL');
      const sends = Array.from({ length: 20 }, (_, id) =>
        server.wire.send(request(id, 'x', { pad: 'y'.repeat(50_000) })),
      );
      const outcomes = await Promise.allSettled(sends);
      const failed = outcomes.filter(outcome => outcome.status === 'rejected');
      expect(failed.length).toBeGreaterThan(0);
      for (const { reason } of failed) expect(reason).toMatchObject({ code: 'connection-lost' });
      await server.wire.closed;
      await expect(server.wire.send(request(99, 'x'))).rejects.toMatchObject({ data: { mayHaveRun: false } });
    }
  });

  it('hands over nothing more once its owner has closed it', async () => {
    const { wire, say } = wireToTest();
    const heard: Frame[] = [];
    wire.onmessage = frame => {
      heard.push(frame);
      void wire.close();
    };
    say(notification('a'), notification('b'), response(1), notification('c'));
    await turn();
    await turn();
    expect(heard).toEqual([notification('a')]);
  });

  it('ends stdin on close and tells its owner at once', async () => {
    const { wire, stdin } = wireToTest();
    let closes = 0;
    wire.onclose = () => void closes++;
    await wire.close();
    expect(closes).toBe(1);
    expect(stdin.writableEnded).toBe(true);
  });
});

describe('back-pressure', () => {
  it('lets a send wait until the server has read', async () => {
    const { wire, stdin } = wireToTest();
    let sent = 0;
    const sends = Array.from({ length: 10 }, async (_, id) => {
      await wire.send(request(id, 'x', { pad: 'y'.repeat(50_000) }));
      sent++;
    });
    await turn();
    expect(sent).toBeLessThan(10);
    stdin.resume();
    await Promise.all(sends);
    expect(sent).toBe(10);
  });
});
