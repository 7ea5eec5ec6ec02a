import { z } from '@hono/zod-openapi';
import type { ServerView } from '../../client/api-types.ts';
import type { HealthState } from '../../core/server-health.ts';
import type { ServerReport } from '../../servers/server-report.ts';
import { errorCodes } from '../problem.ts';
import { diagnosticSchema, jsonObject, maybe } from './common.ts';

export const kindSchema = z.enum(['process', 'docker-run', 'docker-image', 'remote', 'gateway']);
export const transportSchema = z.enum(['stdio', 'streamable-http', 'sse']);

const healthStates = [
  'stopped',
  'starting',
  'connected',
  'degraded',
  'needs-login',
  'needs-secret',
  'needs-approval',
  'restarting',
  'crash-loop',
  'unreachable',
  'failed',
  'stopping',
  'close-failed',
  'disabled',
] as const satisfies readonly HealthState[];

export const toolNameSchema = z.object({ toolName: z.string(), description: maybe(z.string()) });
export const namedToolSchema = toolNameSchema.extend({ handleName: z.string() });

export const serverSchema = z
  .object({
    serverId: z.string().nullable(),
    server: z.string(),
    name: z.string(),
    kind: kindSchema,
    config: jsonObject,
    image: z.string().nullable(),
    enabled: z.boolean(),
    state: z.enum(healthStates),
    sentence: z.string(),
    action: z.object({ label: z.string(), command: maybe(z.string()) }),
    needsAttention: z.boolean(),
    lastError: z.object({ code: z.enum(errorCodes), message: z.string() }).nullable(),
    transport: transportSchema.nullable(),
    protocol_version: z.string().nullable(),
    holdings: z.array(z.string()),
    tools: z.array(namedToolSchema.extend({ tokenCost: z.int() })),
    tokenCost: z.int(),
    diagnostics: z.array(diagnosticSchema),
  })
  .openapi('Server') satisfies z.ZodType<ServerView>;

/** A server as the API tells it. */
export function serverView(report: ServerReport): ServerView {
  const { serverId, server, name, kind, config, image, enabled, health, error, transport, holdings } = report;
  return {
    serverId,
    server,
    name,
    kind,
    config,
    image,
    enabled,
    ...health,
    lastError: error ? { code: error.code, message: error.message } : null,
    transport,
    protocol_version: report.protocolVersion,
    holdings,
    tools: report.tools.map(({ handleName, toolName, tokenCost, description }) => ({
      handleName,
      toolName,
      tokenCost,
      ...(description !== undefined && { description }),
    })),
    tokenCost: report.tools.reduce((sum, tool) => sum + tool.tokenCost, 0),
    diagnostics: report.diagnostics,
  };
}
