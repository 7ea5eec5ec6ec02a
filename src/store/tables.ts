import { cachedDefinitionsTable } from './cached-definitions.ts';
import { ledgerTable } from './ledger.ts';
import { serversTable } from './servers.ts';
import { verdictsTable } from './verdicts.ts';

/** Every table of the database, by the name it has on the Store. A new table is a new file and a line here. */
export const tables = {
  ledger: ledgerTable,
  verdicts: verdictsTable,
  servers: serversTable,
  cachedDefinitions: cachedDefinitionsTable,
} as const;
