import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type LongshoreHome, longshoreHome } from './longshore-home.ts';
import { eventually, fixture, processesWith } from './run-longshore.ts';

const rounds = Number(process.env['LONGSHORE_KILL_ROUNDS'] ?? 3);

/** What a person and clients do while the service is killed; each may fail, none may do harm. */
async function busy(home: LongshoreHome, round: number, token: string): Promise<void> {
  const server = ['--env', `TOKEN_OF_TEST=${token}`, '--', process.execPath, fixture('noisy')];
  await Promise.allSettled([
    home.run('add', `new-${round}`, '--no-start', ...server),
    home.run('load', 'kept'),
    home.run('tools', 'kept'),
    home.run('call', 'kept.none'),
  ]);
}

describe('a service that is killed', () => {
  it('R5, R62, R68: starts again with a sound record and its saved servers, and leaves no process of a server', {
    timeout: 60_000 + rounds * 60_000,
  }, async () => {
    const token = `service-${randomBytes(8).toString('hex')}`;
    await using home = longshoreHome();
    let service = await home.serve();
    const server = ['--env', `TOKEN_OF_TEST=${token}`, '--', process.execPath, fixture('deaf')];
    const added = await home.run('add', 'kept', ...server);
    expect(added.code, added.stderr).toBe(0);
    // This server has no tools, which a load tells as a partial success.
    await home.run('load', 'kept');
    expect((await processesWith(`TOKEN_OF_TEST=${token}`)).length).toBeGreaterThan(0);
    for (let round = 0; round < rounds; round += 1) {
      const working = busy(home, round, token);
      await new Promise(resolve => setTimeout(resolve, Math.random() * 3_000));
      service.kill('SIGKILL');
      await service.ended;
      const gone = async () => (await processesWith(`TOKEN_OF_TEST=${token}`)).length === 0;
      await working;
      // A command may have started the service anew, and that its server: then that one is stopped as well.
      await home.run('stop');
      expect(await eventually(gone, 10_000), `round ${round}`).toBe(true);
      service = await home.serve();
      expect((await home.run('list')).stdout).toMatch(/^kept /m);
      const verified = await home.run('audit', 'verify');
      expect(verified.code, verified.stdout + verified.stderr).toBe(0);
    }
  });
});
