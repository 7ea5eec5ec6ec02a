import type { Deadlines } from '../core/deadlines.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import type { Holding } from '../core/ports/ledger.ts';
import { dockerImageRunner } from './docker-image.ts';
import { dockerRunRunner } from './docker-run.ts';
import type { Explanation } from './explanation.ts';
import { gatewayRunner } from './gateway.ts';
import { processRunner } from './process.ts';
import { reclaimHolding } from './reclaim-holding.ts';
import { remoteRunner } from './remote.ts';
import type { OpenBudget, Opened, OpenRequest, Runner, RunnerIdentity, Surroundings } from './runner.ts';

/** Every kind of server: a new one is a new file and a line here. */
const runners = {
  process: processRunner,
  'docker-run': dockerRunRunner,
  'docker-image': dockerImageRunner,
  remote: remoteRunner,
  gateway: gatewayRunner,
};

type Runners = typeof runners;

/** What one server is started from, its references resolved. */
export type ServerSpec = {
  [Kind in keyof Runners]: Runners[Kind] extends Runner<infer Spec> ? Spec : never;
}[keyof Runners];

/** Opens a server with the runner of its kind. Rejects with `bad-config` for what no server of that kind is started from. */
export async function openServer(spec: ServerSpec, request: OpenRequest): Promise<Opened> {
  return runnerOf(spec).open(checked(spec), request);
}

/** Explains a server by its kind; runs nothing and asks no engine. Rejects with `bad-config` for what could not be run either. */
export async function explainServer(spec: ServerSpec, agentId: AgentId, around: Surroundings): Promise<Explanation> {
  return runnerOf(spec).explain(checked(spec), agentId, around);
}

/** See `Runner.budget`. */
export function openWithin(spec: ServerSpec, deadlines: Deadlines): OpenBudget {
  return runnerOf(spec).budget(spec, deadlines);
}

/** See `Runner.olderSide`. */
export function olderSideOf(spec: ServerSpec): Runner<ServerSpec>['olderSide'] {
  return runnerOf(spec).olderSide;
}

/** See `Runner.identity`. */
export function verdictSubject(spec: ServerSpec): RunnerIdentity {
  return runnerOf(spec).identity(spec);
}

/** Removes what a row of the ledger stands for, and then the row: see `reclaimHolding`. */
export function reclaim(holding: Holding, around: Surroundings): Promise<boolean> {
  const all: readonly Pick<Runner<never>, 'reclaim'>[] = Object.values(runners);
  const removal = all.find(runner => runner.reclaim?.kind === holding.kind)?.reclaim;
  if (removal === undefined) throw new LongshoreError('internal', `Nothing removes a ${holding.kind}.`);
  return reclaimHolding(holding, removal.remove, around);
}

/**
 * Removes what runs of the host that are dead left behind; the home's lock proves them dead. One that cannot be removed
 * now (an engine that does not answer) stays in the ledger, says why, and holds nobody up.
 */
export async function sweep(around: Surroundings): Promise<void> {
  const left = (await around.ledger.list()).filter(holding => holding.instance !== around.instance);
  for (const holding of left) {
    try {
      await reclaim(holding, around);
      around.log.info({ server: holding.serverKey, kind: holding.kind }, 'Removed what an earlier run left behind.');
    } catch (error) {
      around.log.warn({ server: holding.serverKey, kind: holding.kind }, asLongshoreError(error).message);
    }
  }
}

function runnerOf({ kind }: ServerSpec): Runner<ServerSpec> {
  return runners[kind] as Runner<ServerSpec>;
}

function checked(spec: ServerSpec): ServerSpec {
  const read = runnerOf(spec).spec.safeParse(spec);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new LongshoreError(
    'bad-config',
    `${where === '' ? 'The server' : where}: ${issue?.message ?? 'is not valid'}.`,
  );
}
