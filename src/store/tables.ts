import { ledgerTable } from './ledger.ts';

/** Every table of the database, by the name it has on the Store. A new table is a new file and a line here. */
export const tables = {
  ledger: ledgerTable,
} as const;
