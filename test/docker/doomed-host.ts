import { openHost } from '../../src/index.ts';

// Starts container servers and never ends them: the test kills it. Prints the DID of its agent first.

const [stdio = '', http = ''] = process.argv.slice(2);
const host = await openHost({ ephemeral: true, handleSignals: false });
const agent = host.agent();
process.stdout.write(`${agent.agentId}\n`);
await Promise.all([
  agent.load({ name: 'doomed-stdio', command: 'docker', args: ['run', stdio] }),
  agent.load({ name: 'doomed-http', command: 'docker', args: ['run', http] }),
  agent.load(stdio),
]);
setInterval(() => undefined, 60_000);
