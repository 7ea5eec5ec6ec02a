import { existsSync, rmdirSync, statSync } from 'node:fs';
import type { Leftover } from '../../client/api-types.ts';
import type { Client } from '../../client/client.ts';
import { systemClock } from '../../core/clock.ts';
import { randomId } from '../../core/ids.ts';
import { makeFolder } from '../../core/make-folder.ts';
import type { SecretProvider } from '../../core/ports/secret-rows.ts';
import { keychainFault, osKeychain } from '../../secrets/keychain.ts';
import { type Home, openHome } from '../../store/home.ts';
import { lockHome } from '../../store/home-lock.ts';
import { readIdentity } from '../../store/identity.ts';
import { openStore } from '../../store/store.ts';
import { type Finding, failing, fine, type Patient } from './finding.ts';

const keychainTime = 5_000;

/** What only the holder of a home can see of it: its database. */
interface Inside {
  readonly findings: readonly Finding[];
  readonly leftovers: readonly Leftover[];
  /** Where secrets are kept; undefined where that is not chosen yet, or could not be read. */
  readonly provider: SecretProvider | undefined;
}

/** Everything in a home that nobody works on; it is held meanwhile. Nothing is made in a home that is not there yet. */
export async function checkHome(folder: string, patient: Patient): Promise<readonly Finding[]> {
  if (!existsSync(folder)) return [checkPlace(folder)];
  let home: Home;
  try {
    home = openHome({ folder, platform: patient.platform, randomId });
  } catch (error) {
    return [failing('home', error)];
  }
  const inside = await checkInside(home);
  return [
    checkFolder(folder, patient),
    checkIdentity(home),
    ...inside.findings,
    await checkSecrets(inside.provider, patient),
    ...checkLeftovers(inside.leftovers),
  ];
}

/** The same of a home whose service runs, as far as it tells. */
export async function checkServedHome(
  folder: string,
  client: Pick<Client, 'ask' | 'url'>,
  patient: Patient,
): Promise<readonly Finding[]> {
  try {
    const { leftovers, pid, version, ready, url } = await client.ask('GET /api/service');
    const state = ready ? 'is ready' : 'is there and not ready yet';
    const service = fine('service', `Longshore ${version} ${state} at ${url} (process ${pid}).`);
    const { provider } = await client.ask('GET /api/secrets');
    return [
      service,
      checkFolder(folder, patient),
      await checkSecrets(provider ?? undefined, patient),
      ...checkLeftovers(leftovers),
    ];
  } catch (error) {
    return [failing('service', error), checkFolder(folder, patient)];
  }
}

/** Whether the first start can make it: tried, and taken away again. */
function checkPlace(folder: string): Finding {
  try {
    for (const made of makeFolder(folder).toReversed()) rmdirSync(made);
    return fine('home', `${folder} is not there yet; the first start makes it.`);
  } catch (error) {
    return failing('home', error);
  }
}

function checkFolder(folder: string, { platform }: Patient): Finding {
  const open = platform === 'win32' ? 0 : statSync(folder).mode & 0o077;
  if (open === 0) return fine('home', `${folder} is readable by its owner only.`);
  const sentence = `Others may look into ${folder}, which holds the keys of this home.`;
  return { check: 'home', state: 'problem', sentence, action: `chmod 700 ${folder}` };
}

function checkIdentity(home: Home): Finding {
  if (!existsSync(home.identity)) return fine('identity', 'There is no identity yet; the first start makes one.');
  try {
    return fine('identity', `This home's agent is ${readIdentity(home.identity).agentId}.`);
  } catch (error) {
    return failing('identity', error);
  }
}

/** The lock, the database and what is in it. */
async function checkInside(home: Home): Promise<Inside> {
  const nothing = { leftovers: [], provider: undefined };
  try {
    using _ = lockHome(home, process.pid);
    const free = fine('service', 'The service does not run; the next command starts it.');
    if (!existsSync(home.database)) {
      return { findings: [free, fine('database', 'There is no database yet; the first start makes it.')], ...nothing };
    }
    try {
      await using store = await openStore({ path: home.database, clock: systemClock });
      const holdings = await store.ledger.list();
      const leftovers = holdings.map(({ kind, serverKey, engineId, name, id, lastError }) => {
        return { kind, server: serverKey, id: engineId ?? name ?? id, error: lastError };
      });
      const choice = await store.secrets.choice();
      return { findings: [free, fine('database', 'The database is sound.')], leftovers, provider: choice?.provider };
    } catch (error) {
      return { findings: [free, failing('database', error)], ...nothing };
    }
  } catch (error) {
    return { findings: [failing('lock', error)], ...nothing };
  }
}

async function checkSecrets(provider: SecretProvider | undefined, { env }: Patient): Promise<Finding> {
  const check = 'secrets';
  if (provider === 'encrypted-file') return fine(check, 'Secrets are kept in an encrypted file of this home.');
  const fault = await keychainFault(osKeychain({ env, limit: keychainTime }), `doctor-${randomId()}`);
  if (fault === undefined) return fine(check, "Secrets are kept in the operating system's keychain, which works.");
  if (provider === undefined) {
    return fine(check, `Secrets will be kept in an encrypted file, because there is no keychain to use: ${fault}.`);
  }
  const sentence = `The keychain that has this home's secrets does not work: ${fault}.`;
  return { check, state: 'problem', sentence, action: 'Unlock it, or sign in to the desktop that has it.' };
}

function checkLeftovers(leftovers: readonly Leftover[]): readonly Finding[] {
  if (leftovers.length === 0) return [fine('leftovers', 'Nothing of an ended run is left behind.')];
  return leftovers.map(({ kind, server, id, error }) => ({
    check: 'leftovers',
    state: 'problem',
    sentence: `The ${kind} ${id} of ${server} is left behind${error === null ? '' : `: ${error}`}`,
    action:
      'longshore stop, then longshore serve: a start removes what it can. A container whose engine is away needs that engine.',
  }));
}
