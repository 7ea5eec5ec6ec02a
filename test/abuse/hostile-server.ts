/**
 * A server that answers wrongly in all ways that a seed picks: `hostile-server.ts stdio|http|sse SEED`. The latter two print
 * the port on which they listen. Some requests are answered rightly, so that every moment of a connection is reached.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { type Asked, encoded, hostileTexts, rightResult } from './hostile-frames.ts';
import { seeded } from './seeded.ts';

const [mode, seed] = process.argv.slice(2);
const chances = seeded(Number(seed));
/** How often it behaves: often enough that most are started, listed and called before they go wrong. */
const goodness = 0.4 + 0.59 * chances.next();

/** `good`: as a right server answers. */
function answers(asked: Asked, good: boolean): readonly Buffer[] {
  if (good) {
    if (asked.id === undefined) return [];
    const result = rightResult(asked.method, chances);
    return [Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }))];
  }
  return hostileTexts(asked, chances).map(text => encoded(text, chances));
}

function read(line: string): Asked {
  try {
    return JSON.parse(line) as Asked;
  } catch {
    return {};
  }
}

function serveStdio(): void {
  process.stdout.on('error', () => process.exit());
  createInterface({ input: process.stdin }).on('line', line => {
    const good = chances.is(goodness);
    for (const answer of answers(read(line), good)) {
      process.stdout.write(answer);
      process.stdout.write(good || chances.is(0.9) ? '\n' : chances.oneOf(['\r\n', '\r', '', '\n\n', '\0\n']));
    }
    if (!good && chances.is(0.02)) process.exit(chances.below(3));
  });
}

function event(data: Buffer, good: boolean): Buffer {
  const head =
    good || chances.is(0.7)
      ? ''
      : chances.oneOf([
          'event: message\n',
          'event: other\n',
          ': comment\n',
          'id: 7\n',
          'id:\n',
          'retry: 1\n',
          'retry: x\n',
          '\ufeff',
          'data\n',
        ]);
  return Buffer.concat([
    Buffer.from(`${head}data: `),
    data,
    Buffer.from(good || chances.is(0.9) ? '\n\n' : chances.oneOf(['\r\n\r\n', '\n', '\r\r', ''])),
  ]);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function answerHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = read(await bodyOf(request));
  const good = chances.is(goodness);
  if (request.method === 'GET') {
    response.writeHead(good ? 405 : 200, { 'content-type': 'text/event-stream' });
    if (!good) response.write(event(answers(asked, good)[0] ?? Buffer.from(''), good));
    if (good || chances.is(0.5)) response.end();
    return;
  }
  if (asked.id === undefined) return void response.writeHead(good ? 202 : chances.oneOf([200, 202, 204, 400])).end();
  const status = good || chances.is(0.8) ? 200 : chances.oneOf([200, 201, 202, 204, 400, 404, 500]);
  const streams = chances.is(0.5);
  const right = streams ? 'text/event-stream' : 'application/json';
  const type = good || chances.is(0.9) ? right : chances.oneOf(['text/html', 'x', '']);
  const session = !good && chances.is(0.3) ? { 'mcp-session-id': chances.oneOf(['s', '', 'x'.repeat(3_000)]) } : {};
  response.writeHead(status, { 'content-type': type, ...session });
  for (const answer of answers(asked, good)) response.write(streams ? event(answer, good) : answer);
  if (good || chances.is(0.8)) response.end();
  else response.destroy();
}

const open = new Set<ServerResponse>();

async function answerSse(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = read(await bodyOf(request));
  const good = chances.is(goodness);
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const endpoint =
      good || chances.is(0.5) ? '/messages' : chances.oneOf(['', 'http://[', 'http://127.0.0.1:1/x', '\0']);
    response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
    open.add(response);
    response.on('close', () => open.delete(response));
    return;
  }
  response.writeHead(good || chances.is(0.8) ? 202 : chances.oneOf([200, 204, 400, 500])).end();
  for (const answer of answers(asked, good)) for (const stream of open) stream.write(event(answer, good));
  if (!good && chances.is(0.05)) for (const stream of open) stream.destroy();
}

if (mode === 'stdio') serveStdio();
else {
  const answer = mode === 'http' ? answerHttp : answerSse;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(typeof address === 'object' && address !== null ? address.port : 0);
  });
  // Ends with whoever started it.
  process.stdin.resume().on('end', () => process.exit());
}
