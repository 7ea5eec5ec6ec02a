import { asLongshoreError, LongshoreError } from '../../core/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import type { AuditRows } from '../../store/audit.ts';
import { type AuditEntry, type ChainEnd, chained } from './audit-chain.ts';

/** Writes entries one after the other; those that come in together share one commit. */
export interface AuditWriter {
  /** Resolves when the entry is written. Rejects with `cannot-record`, and then nothing of it was written. */
  append(entry: AuditEntry): Promise<void>;
  /** Writes it with the next commit, at the latest in a few milliseconds; tries again for a while if that fails. */
  appendSoon(entry: AuditEntry): void;
  /** The last row that is written. */
  readonly end: ChainEnd;
  /** Writes what waits, once more for what failed before, and accepts nothing further. */
  close(): Promise<void>;
}

/** At most so many rows in one commit: a larger one would hold up everything else. */
const batchSize = 100;
/** How long an outcome may wait for the commit of some authorisation. */
const soonMilliseconds = 5;
const attempts = 6;
const retryMilliseconds = 100;
/** Outcomes that wait for a database that fails for long; the older ones are kept. */
const mostWaiting = 10_000;

interface Waiting {
  readonly entry: AuditEntry;
  /** Absent for what is written on a best effort. */
  readonly settle?: { resolve(): void; reject(error: LongshoreError): void };
  failures: number;
}

/** A writer that continues a chain. `onWritten` is told after each commit. */
export function auditWriter(needs: {
  readonly rows: AuditRows;
  readonly start: ChainEnd;
  readonly log: Log;
  readonly onWritten: () => void;
}): AuditWriter {
  const { rows, log } = needs;
  let end = needs.start;
  let queue: Waiting[] = [];
  let later: Waiting[] = [];
  let draining: Promise<void> | undefined;
  let now: NodeJS.Immediate | undefined;
  let soon: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;
  let unsure = false;
  let closed = false;

  function write(): void {
    clearImmediate(now);
    clearTimeout(soon);
    now = undefined;
    soon = undefined;
    draining ??= drain();
  }

  /** Never rejects: a failure is told to whoever waits for the row. */
  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize);
      queue = queue.slice(batchSize);
      try {
        if (unsure) await lookAgain();
        const entries = batch.map(({ entry }) => entry);
        const chain = chained(entries, end);
        await rows.append(chain);
        end = chain.at(-1) ?? end;
        for (const { settle } of batch) settle?.resolve();
        needs.onWritten();
      } catch (cause) {
        unsure = true;
        fail(batch, cause);
      }
    }
    // In the same tick as the last look at the queue, so that nothing is ever left in it unseen.
    draining = undefined;
  }

  /** After a failed commit only the disk knows where the chain ends. */
  async function lookAgain(): Promise<void> {
    const [last] = await rows.read({ limit: 1, order: 'newest-first' });
    if (last !== undefined && last.seq > end.seq) end = last;
    unsure = false;
  }

  function fail(batch: readonly Waiting[], cause: unknown): void {
    const error = cannotRecord(cause);
    for (const waiting of batch) {
      if (waiting.settle) {
        waiting.settle.reject(error);
        continue;
      }
      waiting.failures += 1;
      if (waiting.failures < attempts && !closed && later.length < mostWaiting) later.push(waiting);
      else
        log.error({ dispatch: waiting.entry.dispatch_id, error: error.message }, 'An outcome could not be recorded.');
    }
    const failures = later[0]?.failures;
    if (failures !== undefined) again ??= setTimeout(retry, retryMilliseconds * 2 ** failures);
  }

  function retry(): void {
    clearTimeout(again);
    again = undefined;
    queue = [...later, ...queue];
    later = [];
    write();
  }

  return {
    get end() {
      return end;
    },
    append(entry) {
      if (closed) return Promise.reject(cannotRecord(new Error('the record is closed')));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      queue.push({ entry, settle: { resolve, reject }, failures: 0 });
      if (!draining) now ??= setImmediate(write);
      return promise;
    },
    appendSoon(entry) {
      queue.push({ entry, failures: 0 });
      if (!draining && !now) soon ??= setTimeout(write, soonMilliseconds);
    },
    async close() {
      closed = true;
      await draining;
      retry();
      await draining;
    },
  };
}

function cannotRecord(cause: unknown): LongshoreError {
  if (cause instanceof LongshoreError) return asLongshoreError(cause);
  return new LongshoreError(
    'cannot-record',
    `Nothing could be written to the audit (${cause instanceof Error ? cause.message : String(cause)}), so nothing was done. Put that right and try again.`,
    { cause },
  );
}
