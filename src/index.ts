/** The library's public surface; docs/architecture.md tells what is behind it. */
import './core/required-node.ts';

export { expandMcpConfigsFromJson } from './config/expand-mcp-configs.ts';
export { inferTransport } from './config/infer-transport.ts';
export { parseConfigBody } from './config/parse-config-body.ts';
export type { MCPServerConfig } from './config/types.ts';
export { type ErrorCode, errorTable, LongshoreError } from './core/errors.ts';
export type { Diagnostic, Handle, Progress, RawResult } from './core/words.ts';
export type { Dispatched } from './governance/dispatch/call.ts';
export type { Agent, CallOptions, LoadedServer, LoadOptions, Tool } from './host/agent.ts';
export type { AgentApprovals, AgentAudit, AgentRules, WrittenRule } from './host/agent-governance.ts';
export type { HostSecrets } from './host/host-secrets.ts';
export { cleanupMcpTransport, type Host, type HostOptions, openHost } from './host/open-host.ts';
export type { Explanation } from './runners/explanation.ts';
export type { ImportResult } from './servers/import-servers.ts';
export type { UnloadOutcome } from './servers/remove-server.ts';
export type { SavedServers } from './servers/saved-servers.ts';
export type { ServerInfo, ToolInfo } from './servers/server-info.ts';
