// Longshore as a library: a home, a secret, a saved server, a rule, an approval and a call.
//   node library.js HOME COMMAND [ARGS…]      where COMMAND starts an MCP server that has a tool `echo`
import { LongshoreError, openHost } from 'longshore';

const [home, command, ...args] = process.argv.slice(2);
await using host = await openHost({ home });
const agent = host.agent();

// Kept in the keychain or encrypted; a configuration refers to it and never holds it.
await host.secrets.set('NOTES_TOKEN', 'only for this example');
// Saved: there again at the next start, and started by its first call.
const { server } = await agent.saved().add({ name: 'notes', command, args, env: { TOKEN: '${secret:NOTES_TOKEN}' } });
await agent.load('notes');
console.log(
  'tools:',
  agent
    .tools()
    .map(tool => tool.name)
    .join(', '),
);

// Nothing is allowed yet, and while nobody listens for approvals nobody would answer: the call says so at once.
const tool = `${server}__echo`;
try {
  await agent.call(tool, { text: 'hi' });
} catch (error) {
  if (!(error instanceof LongshoreError)) throw error;
  console.log('unanswered:', error.code);
}

// While somebody listens, calls wait. `host.operator` shows that this program decides; an agent alone cannot.
// The question is still the one of the call before, which an identical call joins.
const stop = agent.approvals.onEvent(({ approval }) => {
  if (approval.state.name === 'pending') void agent.approvals.decide(host.operator, approval.id, { approve: true });
});
console.log('approved:', JSON.stringify((await agent.call(tool, { text: 'hi' })).result.content));
stop();

// Or once and for all.
await agent.rules.add(host.operator, { level: 'allow', pattern: 'notes.echo' });
console.log('allowed:', JSON.stringify((await agent.call(tool, { text: 'ho' })).result.content));
console.log('record:', (await agent.audit.verify()).ok ? 'whole' : 'changed');
// `await using` ends every server here. Without it, call `await host.dispose()`: a host that is open keeps a program alive.
