// Brings the last column of docs/requirements.md up to date: `npx node scripts/requirements.js`.
import { readFileSync, writeFileSync } from 'node:fs';
import { citedTests, requirementsPage, withTests } from '../test/requirements.ts';

writeFileSync(requirementsPage, withTests(readFileSync(requirementsPage, 'utf8'), citedTests()));
