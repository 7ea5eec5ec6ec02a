/**
 * `longshore/plugin`: Longshore as a feature of an agent host (D2). The host's own dispatch asks its operator; ours still
 * enforces the deny rules of the home, checks every handle and records every call.
 */
import './core/required-node.ts';
import type { AgentHost } from './plugin/agent-host.ts';
import { createMcpFeature, type McpFeature } from './plugin/mcp-feature.ts';

export type { Envelope } from './commands/envelope.ts';
export { type ErrorCode, LongshoreError } from './core/errors.ts';
export type { RawResult } from './core/words.ts';
export type { AgentHost, HostCommand, HostRegistry, HostTool } from './plugin/agent-host.ts';
export type { McpFeature } from './plugin/mcp-feature.ts';

/** What an agent host finds and knows by its `id` (R25). */
export const manifest: { readonly id: 'mcp'; create(host: AgentHost): McpFeature } = {
  id: 'mcp',
  create: createMcpFeature,
};
