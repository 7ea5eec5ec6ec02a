import type { AuditRow, AuditRows } from '../../store/audit.ts';
import { type ChainEnd, chainStart, rowHash } from './audit-chain.ts';
import type { CheckpointReading } from './audit-checkpoint.ts';

/** One thing that is wrong with the record. */
export interface AuditProblem {
  /** The first row concerned. */
  readonly seq: number;
  readonly problem: 'changed' | 'moved' | 'added' | 'missing' | 'rewritten' | 'cut' | 'checkpoint' | 'noted';
  /** A sentence for a person that says which row and what. */
  readonly message: string;
}

/** What `audit verify` found. */
export interface AuditVerdict {
  readonly ok: boolean;
  readonly rows: number;
  /** The first hundred. */
  readonly problems: readonly AuditProblem[];
}

/** The action of the change row that a start writes when it finds the record damaged; it stays a problem for ever. */
export const damageAction = 'audit_damaged';

const page = 1000;
const most = 100;

/**
 * Reads the whole record and finds every row that was edited, removed or moved, and by the checkpoint and the end that
 * the running host remembers, a tail that was cut. Gives way to other work between pages.
 */
export async function verifyAudit(
  rows: AuditRows,
  known: { readonly checkpoint: CheckpointReading | undefined; readonly end: ChainEnd | undefined },
): Promise<AuditVerdict> {
  const problems: AuditProblem[] = [];
  const changed: AuditRow[] = [];
  const landmarks = [known.end, known.checkpoint?.found === 'signed' ? known.checkpoint.checkpoint : undefined];
  let before: ChainEnd = chainStart;
  let count = 0;

  function look(row: AuditRow): void {
    if (row.seq < 1) {
      problems.push(added(row.seq));
      count += 1;
      return;
    }
    const isNext = row.seq === before.seq + 1;
    if (!isNext) problems.push(missing(before.seq + 1, row.seq - 1));
    if (rowHash(row) !== row.hash) changed.push(row);
    else if (isNext && row.prev !== before.hash) problems.push(rewritten(before.seq));
    if (row.action === damageAction) problems.push({ seq: row.seq, problem: 'noted', message: noted(row) });
    for (const mark of landmarks) {
      if (mark?.seq === row.seq && mark.hash !== row.hash && rowHash(row) === row.hash)
        problems.push(replaced(row.seq));
    }
    before = row;
    count += 1;
  }

  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const some = await rows.read({ limit: page, order: 'oldest-first', after });
    for (const row of some) look(row);
    after = some.at(-1)?.seq ?? after;
    if (some.length < page) break;
    await new Promise(resolve => setImmediate(resolve));
  }
  const edited = new Set(changed.map(row => row.seq));
  const found = problems.filter(({ problem, seq }) => problem !== 'rewritten' || !edited.has(seq));
  found.push(...changed.map(row => editedOrMoved(row, changed)));
  const last = Math.max(0, ...landmarks.map(mark => mark?.seq ?? 0));
  if (last > before.seq) found.push(cut(before.seq + 1, last));
  if (known.checkpoint?.found === 'nothing') found.push(checkpoint('is missing'));
  if (known.checkpoint?.found === 'forged') found.push(checkpoint("does not bear this home's signature"));
  found.sort((a, b) => a.seq - b.seq);
  return { ok: found.length === 0, rows: count, problems: found.slice(0, most) };
}

/** A row whose content belongs to another changed row's place was moved; any other was edited. */
function editedOrMoved(row: AuditRow, changed: readonly AuditRow[]): AuditProblem {
  const { seq } = row;
  const home = changed
    .slice(0, most)
    .find(other => other.seq !== seq && rowHash({ ...row, seq: other.seq }) === row.hash);
  if (home) return { seq, problem: 'moved', message: `Row ${seq} holds what was recorded as row ${home.seq}.` };
  return { seq, problem: 'changed', message: `Row ${seq} was changed after it was recorded.` };
}

function missing(from: number, to: number): AuditProblem {
  return { seq: from, problem: 'missing', message: `${range(from, to)} removed.` };
}

function added(seq: number): AuditProblem {
  return { seq, problem: 'added', message: `Row ${seq} was added: the record begins with row 1.` };
}

function cut(from: number, to: number): AuditProblem {
  return { seq: from, problem: 'cut', message: `The end was cut off: ${range(from, to).toLowerCase()} removed.` };
}

function rewritten(seq: number): AuditProblem {
  const message =
    seq === 0 ? 'Row 1 does not begin the record.' : `Row ${seq} was replaced: row ${seq + 1} followed another.`;
  return { seq, problem: 'rewritten', message };
}

function replaced(seq: number): AuditProblem {
  return {
    seq,
    problem: 'rewritten',
    message: `Row ${seq} and all before it were written anew: it is not the row that was signed.`,
  };
}

function checkpoint(what: string): AuditProblem {
  return {
    seq: 0,
    problem: 'checkpoint',
    message: `The checkpoint beside the database ${what}, so a cut end would not show.`,
  };
}

function noted(row: AuditRow): string {
  return `Row ${row.seq} notes damage found at a start: ${row.message ?? ''}`;
}

function range(from: number, to: number): string {
  return from === to ? `Row ${from} was` : `Rows ${from} to ${to} were`;
}
