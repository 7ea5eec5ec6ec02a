import { connectService } from '../../client/client.ts';
import { findService } from '../../client/find-service.ts';
import { readSettings, type Settings } from '../../config/settings.ts';
import type { Diagnostic } from '../../core/words.ts';
import { checkClients } from './client-checks.ts';
import { type Finding, failing, type Patient } from './finding.ts';
import { checkHome, checkServedHome } from './home-checks.ts';
import { checkDocker, checkNode, checkPort, checkPrograms } from './machine-checks.ts';

/** Looks at everything that Longshore stands on; starts and changes nothing. */
export async function examine(patient: Patient): Promise<readonly Finding[]> {
  const machine = Promise.all([checkPrograms(patient), checkDocker(patient)]);
  const own = await examineOwn(patient);
  const [programs, docker] = await machine;
  return [checkNode(patient), ...own, ...(await checkClients(patient)), ...programs, docker];
}

async function examineOwn(patient: Patient): Promise<readonly Finding[]> {
  let settings: Settings;
  const warned: Finding[] = [];
  try {
    const read = readSettings(patient);
    settings = read.settings;
    warned.push(...read.warnings.map(unknownSettings));
  } catch (error) {
    return [failing('settings', error)];
  }
  try {
    const { home } = settings;
    const found = findService(home);
    if (found.as !== 'service') return [...warned, ...(await checkHome(home, patient)), await checkPort(settings)];
    const client = await connectService({ home, env: patient.env, start: false });
    return [...warned, ...(await checkServedHome(home, client, patient))];
  } catch (error) {
    return [...warned, failing('home', error)];
  }
}

/** The names that a reading of the settings did not know. */
function unknownSettings({ data }: Diagnostic): Finding {
  const names = Array.isArray(data?.['names']) ? data['names'].join(', ') : '';
  const action = 'Correct or unset them: docs/configuration.md lists all there are.';
  return { check: 'settings', state: 'warning', sentence: `There are no such settings: ${names}.`, action };
}
