/** The library's public surface; docs/architecture.md tells what is behind it. */
import './core/required-node.ts';

export { expandMcpConfigsFromJson } from './config/expand-mcp-configs.ts';
export { inferTransport } from './config/infer-transport.ts';
export { parseConfigBody } from './config/parse-config-body.ts';
export type { MCPServerConfig } from './config/types.ts';
export type { Clock } from './core/clock.ts';
export type { Deadlines } from './core/deadlines.ts';
export { type ErrorCode, errorTable, LongshoreError } from './core/errors.ts';
export type { AgentId, ApprovalId, HandleName, RandomId, RuleId, ServerKey } from './core/ids.ts';
export type { JsonObject, JsonValue } from './core/json.ts';
export type { CallClient, ServerQuestion } from './core/ports/call-client.ts';
export type { Log } from './core/ports/log.ts';
export type {
  Caller,
  Definition,
  Diagnostic,
  Handle,
  HandleKind,
  Level,
  Progress,
  RawResult,
  ServerKind,
  TransportName,
} from './core/words.ts';
export type { Approval, ApprovalState, Scope, Verdict } from './governance/approvals/approval.ts';
export type { OperatorProof } from './governance/approvals/operator-proof.ts';
export type { ApprovalEvent } from './governance/approvals/questions.ts';
export type { AuditProblem, AuditVerdict } from './governance/audit/audit-verify.ts';
export type { Dispatched } from './governance/dispatch/call.ts';
export type { Explanation as RuleExplanation } from './governance/rules/policy.ts';
export type { Rule } from './governance/rules/rule.ts';
export type { RuleView } from './governance/rules/rules.ts';
export type { Agent, CallOptions, LoadedServer, LoadOptions, Tool } from './host/agent.ts';
export type { AgentApprovals, AgentAudit, AgentRules, WrittenRule } from './host/agent-governance.ts';
export type { HostSecrets } from './host/host-secrets.ts';
export { cleanupMcpTransport, type Host, type HostOptions, openHost } from './host/open-host.ts';
export type { Explanation } from './runners/explanation.ts';
export type { OnPhase, OpenPhase } from './runners/runner.ts';
export type { Redactor } from './secrets/redact.ts';
export type { SecretEntry, SecretStored } from './secrets/secret-vault.ts';
export type { SaveSettings } from './servers/add-server.ts';
export type { ImportResult } from './servers/import-servers.ts';
export type { PlanSettings } from './servers/plan.ts';
export type { UnloadOutcome } from './servers/remove-server.ts';
export type { SavedAs, SavedId, SavedServers } from './servers/saved-servers.ts';
export type { ServerInfo, ToolInfo } from './servers/server-info.ts';
export type { StoredApproval } from './store/approvals.ts';
export type { AuditFilter, AuditRow } from './store/audit.ts';
