// Lists the test files that cite a number of docs/requirements.md, or all: `npx node scripts/requirements.js R50`.
import { citedTests } from '../test/requirements.ts';

const asked = process.argv.slice(2);
for (const [number, files] of citedTests()) {
  if (asked.length === 0 || asked.includes(number)) console.log(`${number}  ${files.join(' ')}`);
}
