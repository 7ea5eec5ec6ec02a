import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Agent, type Host, openHost } from '../../src/index.ts';

describe('explain', () => {
  let host: Host;
  let agent: Agent;

  beforeAll(async () => {
    host = await openHost({ ephemeral: true, handleSignals: false });
    agent = host.agent();
  });

  afterAll(() => host.dispose());

  it('says plainly that a command runs as you', async () => {
    const told = await agent.explain({
      name: 'x',
      command: 'npx',
      args: ['-y', 'some-server'],
      env: { API_KEY: 'sk-1234567' },
    });
    expect(told).toMatchObject({ kind: 'process', command: ['npx', '-y', 'some-server'], environment: ['API_KEY'] });
    expect(told.risks[0]?.why).toContain("operator's token");
    expect(JSON.stringify(told)).not.toContain('sk-1234567');
  });

  it('R12, R18: prints the effective docker run command, what was taken over, and what weakens isolation', async () => {
    const args = ['run', '-d', '--privileged', '-p', '3000:3000', '-e', 'TOKEN', 'org/image:1', 'serve'];
    const told = await agent.explain({ name: 'git', command: 'docker', args, env: { TOKEN: 'canary-881122' } });
    const command = told.command.join(' ');
    expect(command).toContain(`--name rax-probe-git-${process.pid}`);
    expect(command).toMatch(/127\.0\.0\.1:3000:3000.* org\/image:1 serve$/);
    expect(command).not.toMatch(/ -d | --detach/);
    expect(told.risks.map(risk => risk.flag)).toContain('--privileged');
    expect(told.notes.join(' ')).toContain('attached');
    expect(JSON.stringify(told)).not.toContain('canary-881122');
  });

  it('R55: prints how an image would be hardened, under the identity of agent and image', async () => {
    const told = await agent.explain('mcp/time', { container: { network: 'none', mounts: ['/srv/docs:/docs:ro'] } });
    expect(told.command.join(' ')).toMatch(/--cap-drop ALL.*--read-only.*--network none.*mcp\/time:latest$/);
    expect(told.isolation).toContain('It has no network.');
    expect(told.isolation).toContain('It sees /srv/docs of this machine.');
    expect(told.command[told.command.indexOf('--name') + 1]).toMatch(/^mcp-mcp-time-latest-[0-9a-f]{16}$/);
  });

  it('S15: masks a secret that stands in an argument or a URL, and keeps references', async () => {
    const told = await agent.explain({
      name: 'x',
      command: 'serve',
      args: ['--token', 'tk_live_123456', '${secret:OTHER}'],
    });
    expect(told.command).toEqual(['serve', '--token', '[masked]', '${secret:OTHER}']);
    const remote = await agent.explain({
      name: 'y',
      endpoint: 'https://example.com/mcp?api_key=abcdef123456',
      headers: { Authorization: 'Bearer zzz' },
    });
    expect(remote.url).toBe('https://example.com/mcp?api_key=[masked]');
    expect(remote.headers).toEqual(['Authorization']);
    expect(JSON.stringify(remote)).not.toContain('zzz');
  });

  it('runs nothing: what it explained is not listed', async () => {
    expect(await agent.list()).toEqual([]);
    // A catalog that cannot be read may have it (R74).
    await expect(agent.explain('no-such-server')).rejects.toMatchObject({ code: 'catalog-unreadable' });
  });
});
