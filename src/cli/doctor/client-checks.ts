import type { Finding, Patient } from './finding.ts';

/** Clients whose entry names a program or file that is gone: moved, or of an older installation. Nothing of the others. */
export async function checkClients(patient: Patient): Promise<readonly Finding[]> {
  const { clientStatuses } = await import('../connect/connect-client.ts');
  return clientStatuses(patient).flatMap(({ client, title, path, state, reason }): readonly Finding[] => {
    if (state !== 'broken') return [];
    const sentence = `${title} cannot start Longshore: ${reason ?? ''}, which its file ${path} names.`;
    return [{ check: 'clients', state: 'problem', sentence, action: `longshore connect ${client}` }];
  });
}
