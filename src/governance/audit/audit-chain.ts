import { sha256 } from '../../core/ids.ts';
import { type AuditRow, auditColumns } from '../../store/audit.ts';

/** Where a chain of rows has got to: the number of its last row and that row's hash. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first row. */
export const chainStart: ChainEnd = { seq: 0, hash: '' };

/** What is recorded of one event; everything that does not apply is left out. Its place in the chain is given on writing. */
export type AuditEntry = { readonly kind: 'authorisation' | 'outcome' | 'change'; readonly at: number } & Partial<
  Omit<AuditRow, 'kind' | 'at' | 'seq' | 'prev' | 'hash'>
>;

/**
 * SHA-256 over every column but `hash`, as a JSON list in the order of `auditColumns`: equal rows have equal text. The
 * row's number and the hash of the row before are among them, so a row fits in one place only.
 */
export function rowHash(row: Omit<AuditRow, 'hash'>): string {
  return sha256(JSON.stringify(hashedColumns.map(column => row[column])));
}

const hashedColumns = auditColumns.filter(column => column !== 'hash');

const emptyRow = Object.fromEntries(auditColumns.map(column => [column, null])) as Record<keyof AuditRow, null>;

/** The entries as rows that continue the chain. */
export function chained(entries: readonly AuditEntry[], end: ChainEnd): AuditRow[] {
  let { seq, hash: prev } = end;
  return entries.map(entry => {
    seq += 1;
    const row = { ...emptyRow, ...entry, seq, prev };
    const hash = rowHash(row);
    prev = hash;
    return { ...row, hash };
  });
}
