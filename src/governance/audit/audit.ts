import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { AgentId } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Log } from '../../core/ports/log.ts';
import { cut } from '../../lib/cut.ts';
import type { Redactor } from '../../secrets/redact.ts';
import type { AuditFilter, AuditRow, AuditRows, HandleUsage } from '../../store/audit.ts';
import type { CheckpointFile } from '../../store/checkpoint-file.ts';
import { type AuditEntry, type ChainEnd, chainStart } from './audit-chain.ts';
import { type CheckpointReading, readCheckpoint, writeCheckpoint } from './audit-checkpoint.ts';
import { type AuditVerdict, damageAction, verifyAudit } from './audit-verify.ts';
import { auditWriter } from './audit-writer.ts';

/** What a dispatch records; `args` and `message` are masked and cut here, so that no path around it exists. */
export type CallEntry = Omit<AuditEntry, 'kind' | 'at' | 'args'> & { readonly args?: JsonValue };

/** A change of a rule, an approval, a server, a token or a secret. */
export interface ChangeEntry {
  /** e.g. `rule_added`, `server_saved`, `token_revoked`. */
  readonly action: string;
  /** What it was done to: a rule's text, a server's name. */
  readonly subject: string;
  readonly agentId?: AgentId | null;
  /** Who did it: `operator` with its door (`operator:cli`), `host`. */
  readonly caller: string;
  readonly detail?: Partial<Omit<AuditEntry, 'kind' | 'at' | 'args'>> & { readonly args?: JsonValue };
}

/** The record. Rows come back as stored, so that an export can be verified by anybody. */
export interface Audit extends AsyncDisposable {
  /** Resolves when the row is written; rejects with `cannot-record`, and then the call must not happen. */
  authorise(entry: CallEntry): Promise<void>;
  /** Records how a call ended or why it was refused, with the next commit; a failing database is tried again. */
  outcome(entry: CallEntry): void;
  /**
   * Resolves when the row is written and on the disk: a power cut must not take a decision of the operator back.
   * Rejects with `cannot-record`, and then the change must not happen.
   */
  change(entry: ChangeEntry): Promise<void>;
  /** The same for what has happened anyway: with the next commit; a failing database is tried again. */
  note(entry: ChangeEntry): void;
  list(filter: Partial<AuditFilter>): Promise<readonly AuditRow[]>;
  /** All rows of the filter from the oldest on, page by page. */
  export(filter: Omit<Partial<AuditFilter>, 'order' | 'limit' | 'after'>): AsyncIterable<AuditRow>;
  verify(): Promise<AuditVerdict>;
  /** How an agent's handles were used lately: in the last 20,000 rows. */
  usage(agentId: AgentId): Promise<readonly HandleUsage[]>;
  /** Writes what waits and a last checkpoint. */
  close(): Promise<void>;
}

/** Dependencies of the record. Without `checkpoint` (a host without a home) a cut tail shows only while it runs. */
export interface AuditDeps {
  readonly rows: AuditRows;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly checkpoint?: { readonly file: CheckpointFile; readonly key: KeyObject };
}

const checkpointMilliseconds = 1000;
const usageRows = 20_000;
const longestArgs = 2048;
const longestMessage = 1024;

/**
 * Continues the record. Damage found on the way is noted in it and stays visible: where the tail was cut, numbering goes
 * on after the rows that were there.
 */
export async function openAudit(needs: AuditDeps): Promise<Audit> {
  const { rows, clock, redactor, checkpoint, log } = needs;
  const [last = chainStart] = await rows.read({ limit: 1, order: 'newest-first' });
  const reading = checkpoint && readCheckpoint(checkpoint.file.read(), checkpoint.key);
  const start = reading?.found === 'signed' && reading.checkpoint.seq > last.seq ? reading.checkpoint : last;
  const damage = reading && (await damageOf(rows, last, reading));
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();
  const writer = auditWriter({
    rows,
    start,
    log,
    onWritten: () => (timer ??= setTimeout(() => save(), checkpointMilliseconds)),
  });

  function save(closed?: true): void {
    clearTimeout(timer);
    timer = undefined;
    if (!checkpoint) return;
    const { file, key } = checkpoint;
    const { seq, hash } = writer.end;
    saving = saving
      // What is signed must not be gone after a power cut.
      .then(() => rows.toDisk())
      .then(() => file.replace(writeCheckpoint({ seq, hash, at: clock.now(), ...(closed && { closed }) }, key)))
      .catch((error: unknown) =>
        log.warn({ error: String(error) }, 'The checkpoint of the audit could not be written.'),
      );
  }

  function masked(entry: CallEntry): Omit<AuditEntry, 'kind' | 'at'> {
    const { args, ...rest } = entry;
    return {
      ...rest,
      ...(args === undefined ? {} : { args: redactor.shown(args, longestArgs) }),
      ...(typeof rest.message === 'string' ? { message: cut(redactor.text(rest.message), longestMessage) } : {}),
      ...(typeof rest.subject === 'string' ? { subject: cut(redactor.text(rest.subject), longestMessage) } : {}),
    };
  }

  function changeRow({ action, subject, agentId, caller, detail }: ChangeEntry): AuditEntry {
    const row = { ...detail, action, subject, agent_id: agentId ?? null, caller };
    return { kind: 'change', at: clock.now(), ...masked(row) };
  }

  const audit: Audit = {
    authorise: entry => writer.append({ kind: 'authorisation', at: clock.now(), ...masked(entry) }),
    outcome: entry => writer.appendSoon({ kind: 'outcome', at: clock.now(), ...masked(entry) }),
    async change(entry) {
      await writer.append(changeRow(entry));
      await rows.toDisk();
    },
    note: entry => writer.appendSoon(changeRow(entry)),
    list: filter => rows.read({ limit: 100, order: 'newest-first', ...filter }),
    async *export(filter) {
      for (let after = 0; ; ) {
        const some = await rows.read({ ...filter, after, limit: 1000, order: 'oldest-first' });
        yield* some;
        const end = some.at(-1);
        if (end === undefined) return;
        after = end.seq;
      }
    },
    verify: () =>
      verifyAudit(rows, {
        end: writer.end,
        checkpoint: checkpoint && readCheckpoint(checkpoint.file.read(), checkpoint.key),
      }),
    usage: agentId => rows.usage(agentId, usageRows),
    async close() {
      await writer.close();
      save(true);
      await saving;
    },
    [Symbol.asyncDispose]: () => audit.close(),
  };
  if (damage !== undefined)
    await audit.change({ action: damageAction, subject: 'audit', caller: 'host', detail: { message: damage } });
  // Before any call: rows of this run must not look as if they were added after the last one's end.
  if (checkpoint && (reading?.found !== 'signed' || (reading.checkpoint.closed && damage === undefined))) {
    save();
    await saving;
  }
  return audit;
}

/** What is wrong between database and checkpoint at a start; `undefined` if nothing, or if both are new. */
async function damageOf(rows: AuditRows, last: ChainEnd, reading: CheckpointReading): Promise<string | undefined> {
  if (reading.found === 'nothing') {
    return last.seq === 0 ? undefined : `The checkpoint was missing; a cut after row ${last.seq} would not have shown.`;
  }
  if (reading.found === 'forged')
    return `The checkpoint was not this home's; a cut after row ${last.seq} would not have shown.`;
  const { seq, hash, closed } = reading.checkpoint;
  if (seq > last.seq) return `Rows ${last.seq + 1} to ${seq} were signed and are gone.`;
  if (closed && last.seq > seq) return `Rows ${seq + 1} to ${last.seq} were added after the record was closed.`;
  const [first] = await rows.read({ limit: 1, order: 'oldest-first' });
  if (first !== undefined && first.seq < 1) return `Row ${first.seq} stands before the first.`;
  if (seq === 0) return undefined;
  const [signed] = await rows.read({ limit: 1, order: 'oldest-first', after: seq - 1 });
  return signed?.hash === hash ? undefined : `Row ${seq} is not the row that was signed.`;
}
