/** The library's public surface; docs/architecture.md tells what is behind it. */
export type { Agent, CallOptions, ListedServer, LoadedServer, LoadOptions, Tool } from './agent.ts';
export type { AgentApprovals, AgentAudit, AgentRules, WrittenRule } from './agent-governance.ts';
export { expandMcpConfigsFromJson } from './config/expand-mcp-configs.ts';
export { inferTransport } from './config/infer-transport.ts';
export { parseConfigBody } from './config/parse-config-body.ts';
export type { MCPServerConfig } from './config/types.ts';
export { type ErrorCode, errorTable, LongshoreError } from './core/errors.ts';
export type { Diagnostic, Handle, Progress, RawResult } from './core/words.ts';
export type { Dispatched } from './governance/call.ts';
export { cleanupMcpTransport, type Host, type HostOptions, openHost } from './host.ts';
export type { HostSecrets } from './host-secrets.ts';
export type { Explanation } from './runners/explain.ts';
export type { ImportResult } from './saved/import-servers.ts';
export type { ListedSaved } from './saved/list-saved.ts';
export type { UnloadOutcome } from './saved/remove-server.ts';
export type { SavedServers } from './saved/saved-servers.ts';
