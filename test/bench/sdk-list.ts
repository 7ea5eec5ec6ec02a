/** The bare SDK client in its legacy mode: starts a server, lists its tools, closes. The baseline of `try`. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [command = '', ...args] = process.argv.slice(2);
const client = new Client({ name: 'bench', version: '1' });
await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
process.stdout.write(JSON.stringify(await client.listTools()));
await client.close();
