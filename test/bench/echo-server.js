// A server that costs as little as one can: by hand, over stdio, or over HTTP with `--http`, which prints its address.
import { createServer } from 'node:http';

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const size = { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] };
const tools = [
  { name: 'echo', description: 'Says its text again.', inputSchema: text },
  { name: 'big', description: 'A text of so many bytes.', inputSchema: size },
];

function resultOf({ method, params }) {
  switch (method) {
    case 'initialize': {
      const protocolVersion = params.protocolVersion;
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1.0.0' } };
    }
    case 'tools/list':
      return { tools };
    case 'tools/call': {
      const { text: said, bytes } = params.arguments;
      return { content: [{ type: 'text', text: said ?? 'x'.repeat(bytes) }] };
    }
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

function answerTo(line) {
  const frame = JSON.parse(line);
  if (frame.id === undefined) return undefined;
  const result = resultOf(frame);
  const outcome = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
  return JSON.stringify({ jsonrpc: '2.0', id: frame.id, ...outcome });
}

if (process.argv.includes('--http')) {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      const answer = answerTo(body);
      if (answer === undefined) return response.writeHead(202).end();
      const length = Buffer.byteLength(answer);
      return response.writeHead(200, { 'content-type': 'application/json', 'content-length': length }).end(answer);
    });
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
} else {
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', chunk => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    let out = '';
    for (const line of lines) {
      const answer = answerTo(line);
      if (answer !== undefined) out += `${answer}\n`;
    }
    if (out !== '') process.stdout.write(out);
  });
  process.stdin.on('end', () => process.exit(0));
}
