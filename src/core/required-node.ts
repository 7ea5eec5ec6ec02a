import { LongshoreError } from './errors.ts';

/** The oldest Node whose built-in modules suffice (package.json, engines). */
const oldest = 24;

/** Throws `bad-setting` on an older Node. */
export function requireNode(version: string): void {
  if (Number(version.split('.')[0]) >= oldest) return;
  throw new LongshoreError(
    'bad-setting',
    `Longshore needs Node ${oldest} or later; this is Node ${version}. Install it, or add it to your program with: npm install node@${oldest}`,
  );
}

// The one thing that is done at import: whatever comes after it may fail on an older Node without a word that helps.
requireNode(process.versions.node);
