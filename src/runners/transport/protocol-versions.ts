import { LongshoreError } from '../../core/errors.ts';

/** The revisions without a handshake that we speak, the one we like best first. */
export const modernVersions = ['2026-07-28'] as const;

/** The revisions with the `initialize` handshake that we speak, the one we offer first (R44). */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The first of our versions (in our order) that the server has too. */
export function commonVersion(ours: readonly string[], theirs: readonly string[]): string | undefined {
  return ours.find(version => theirs.includes(version));
}

/** R44: no revision that both sides speak; names both sets. */
export function noCommonVersion(theirs: readonly string[]): LongshoreError {
  const ours = [...modernVersions, ...legacyVersions];
  return new LongshoreError(
    'no-common-version',
    `The server speaks only MCP ${theirs.join(', ') || 'of no revision that it names'}; Longshore speaks ${ours.join(', ')}. Update whichever is older.`,
    { data: { server: theirs, client: ours } },
  );
}
