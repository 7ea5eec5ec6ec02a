import { LongshoreError } from './errors.ts';

/** The revisions without a handshake that we speak, the one we like best first. */
export const modernVersions = ['2026-07-28'] as const;

/** The revisions with the `initialize` handshake that we speak, the one we offer first (R44). */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The first of our versions (in our order) that the server has too. */
export function commonVersion(ours: readonly string[], theirs: readonly string[]): string | undefined {
  return ours.find(version => theirs.includes(version));
}

/** R44: no revision that both sides speak; names both sets. */
export function noCommonVersion(
  theirs: readonly string[],
  { modern, legacy }: Revisions = allRevisions,
): LongshoreError {
  const ours = [...modern, ...legacy];
  return new LongshoreError(
    'no-common-version',
    `The server speaks only MCP ${theirs.join(', ') || 'of no revision that it names'}; Longshore speaks ${ours.join(', ')}. Update whichever is older.`,
    { data: { server: theirs, client: ours } },
  );
}

/** The revisions that may be spoken on one connection, in both eras; an empty list leaves an era out. */
export interface Revisions {
  readonly modern: readonly string[];
  readonly legacy: readonly string[];
}

/** All revisions that Longshore speaks. */
export const allRevisions: Revisions = { modern: modernVersions, legacy: legacyVersions };

/** Only those with the `initialize` handshake. */
export const olderRevisions: Revisions = { modern: [], legacy: legacyVersions };

/** That revision alone, or all for `auto` and where none is named. */
export function revisionsOf(named: string | undefined): Revisions {
  if (named === undefined || named === 'auto') return allRevisions;
  const only = (known: readonly string[]) => known.filter(version => version === named);
  return { modern: only(modernVersions), legacy: only(legacyVersions) };
}
