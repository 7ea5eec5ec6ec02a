import type { Catalogs } from '../catalog/catalogs.ts';
import type { EngineReport, LoadReport } from '../commands/operator-context.ts';
import { inferTransport } from '../config/infer-transport.ts';
import { selector } from '../config/selector.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import { protocolReason } from '../core/older-era.ts';
import type { OperatorProof } from '../governance/approvals/operator-proof.ts';
import type { Governance } from '../governance/governance.ts';
import type { Registry } from '../governance/registry/registry.ts';
import type { RuleView } from '../governance/rules/rules.ts';
import type { Surroundings } from '../runners/runner.ts';
import type { SaveSettings } from '../servers/add-server.ts';
import { findTools } from '../servers/find-tools.ts';
import type { Fleet } from '../servers/fleet.ts';
import { gatewayReport, startGateway, stopGateway } from '../servers/gateway.ts';
import { planFor } from '../servers/meant-by.ts';
import { displayName, type SavedBook } from '../servers/saved-book.ts';
import type { HealthDeps } from '../servers/server-health-of.ts';
import { byName, serverInfo, serverInfos } from '../servers/server-infos.ts';
import type { StoredApprovals } from '../store/approvals.ts';
import type { Agent, LoadedServer } from './agent.ts';
import { explainPlanned } from './explain-planned.ts';
import type { LogTail, Operator, ServerExplanation } from './operator.ts';

/** Dependencies of an operator's face of an agent. */
export interface OperatorDeps extends HealthDeps {
  readonly fleet: Fleet;
  readonly registry: Registry;
  readonly saved: SavedBook;
  readonly governance: Governance;
  readonly around: Surroundings;
  /** Every question that was ever asked. */
  readonly asked: Pick<StoredApprovals, 'get'>;
  agent(id: AgentId): Agent;
  engine(): Promise<EngineReport>;
  readonly catalogs: Catalogs;
}

/** Who the operator is to the record: by the door at which it has shown itself. */
export interface OperatorChannel {
  readonly name: string;
  readonly proof: OperatorProof;
}

/** See `Operator`. */
export function createOperator(needs: OperatorDeps, agentId: AgentId, door: OperatorChannel): Operator {
  const { fleet, governance, saved, redactor } = needs;
  const { audit, approvals, rules, dispatch } = governance;
  const agent = needs.agent(agentId);
  const caller = 'operator';

  async function reportOn(loaded: LoadedServer, ranBefore: boolean): Promise<LoadReport> {
    const report = await serverInfo(saved, agentId, loaded.server);
    return { report, ranBefore, saveError: loaded.saveError };
  }

  async function explain(server: string | MCPServerConfig, settings: SaveSettings = {}): Promise<ServerExplanation> {
    const { planned: found, key } = await planFor(saved, agentId, server, settings);
    const { config, name } = found;
    const transport = found.kind === 'process' || found.kind === 'remote' ? inferTransport(config) : 'detected';
    const explained = await explainPlanned(found, agentId, needs.around);
    const why = protocolReason(config.protocol, fleet.server(agentId, key)?.lastSaid?.olderEra);
    const notes = why === undefined ? explained.notes : [...explained.notes, why];
    return { ...explained, notes, server: key, name, cwd: config.cwd, transport };
  }

  async function logs(ref: string): Promise<LogTail> {
    const { saved: row, running: member } = await saved.resolve(agentId, ref);
    if (member) {
      const lines = member.stderrTail().map(line => redactor.text(line));
      return { server: member.serverKey, lines, next: member.stderrCount() };
    }
    if (row) return { server: row.serverKey, lines: [], next: 0 };
    throw await saved.unknown(agentId, ref);
  }

  function viewOf(id: RuleView['id']): RuleView {
    const view = rules.list(agentId).find(rule => rule.id === id);
    if (view) return view;
    throw new LongshoreError('unknown-rule', 'The rule was removed as soon as it was there. List the rules.');
  }

  return {
    agentId,
    saved: agent.saved(caller),
    async savedIds() {
      const rows = await saved.rows(agentId);
      return rows.map(row => ({
        serverId: row.serverId,
        name: displayName(row),
        server: row.serverKey,
        mode: row.mode,
      }));
    },
    tools: findTools(agentId, needs),
    servers: async () => byName(await serverInfos(saved, agentId)),
    engine: () => needs.engine(),
    catalogs: needs.catalogs,
    gateway: {
      start: (names, signal) => startGateway(saved, { agentId, actor: caller }, names, { signal, onPhase() {} }),
      stop: () => stopGateway(saved, { agentId, actor: caller }),
      report: () => gatewayReport(saved, agentId),
    },
    async record(action, subject) {
      await audit.change({ action, subject, agentId, caller: `operator:${door.name}` });
    },
    async load({ ref, settings = {} }, signal) {
      const ranBefore = (await saved.resolve(agentId, ref)).running?.connection !== undefined;
      return await reportOn(await agent.load(ref, { ...settings, save: true, actor: caller, signal }), ranBefore);
    },
    async reload(ref, signal) {
      return await reportOn(await agent.reload(selector(ref), { signal }), false);
    },
    unload: async ref => await agent.unload(selector(ref), { actor: caller }),
    explain,
    logs,
    call: (call, signal) => dispatch({ agentId, caller, ...call }, signal),
    usage: () => audit.usage(agentId),
    rules: {
      list: () => rules.list(agentId),
      add: async rule => viewOf((await rules.add(door.proof, { agentId, ...rule })).id),
      remove: id => rules.remove(door.proof, agentId, id),
      why: (handle, args, asking) => rules.why(handle, asking, args),
    },
    approvals: {
      open: () => approvals.open(agentId),
      get: id => approvals.get(agentId, id),
      history: limit => approvals.history(agentId, limit),
      async stored(id) {
        const found = await needs.asked.get(id);
        return found?.agentId === agentId ? found : undefined;
      },
      decide: (id, verdict) => approvals.decide(door.proof, agentId, id, verdict),
      reveal: id => approvals.reveal(door.proof, agentId, id),
    },
  };
}
