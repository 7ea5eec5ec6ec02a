import { agentsTable } from './agents.ts';
import { approvalsTable } from './approvals.ts';
import { auditTable } from './audit.ts';
import { cachedDefinitionsTable } from './cached-definitions.ts';
import { callersTable } from './callers.ts';
import { catalogsTable } from './catalogs.ts';
import { descriptionsTable } from './descriptions.ts';
import { imageTransportsTable } from './image-transports.ts';
import { importsTable } from './imports.ts';
import { ledgerTable } from './ledger.ts';
import { rulesTable } from './rules.ts';
import { secretsTable } from './secrets.ts';
import { serversTable } from './servers.ts';
import { verdictsTable } from './verdicts.ts';

/** Every table of the database, by the name it has on the Store. A new table is a new file and a line here. */
export const tables = {
  ledger: ledgerTable,
  verdicts: verdictsTable,
  imageTransports: imageTransportsTable,
  servers: serversTable,
  cachedDefinitions: cachedDefinitionsTable,
  descriptions: descriptionsTable,
  rules: rulesTable,
  approvals: approvalsTable,
  audit: auditTable,
  secrets: secretsTable,
  callers: callersTable,
  agents: agentsTable,
  catalogs: catalogsTable,
  imports: importsTable,
} as const;
