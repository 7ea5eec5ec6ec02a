import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { protocolReason } from '../core/older-era.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import { imageServerId } from '../docker/image-reference.ts';
import type { Registry } from '../governance/registry/registry.ts';
import { tokenCost } from '../governance/registry/token-cost.ts';
import { maskTexts } from '../secrets/mask-texts.ts';
import { shownConfig } from './config-change.ts';
import type { Fleet } from './fleet.ts';
import { type ListedSaved, listSaved } from './list-saved.ts';
import type { ManagedServer } from './managed-server.ts';
import type { SavedBook } from './saved-book.ts';
import { type HealthSources, serverHealthOf } from './server-health-of.ts';
import type { ServerReport, ToolReport } from './server-report.ts';

/** What reports are made from. */
export interface ReportSources extends HealthSources {
  readonly fleet: Fleet;
  readonly registry: Registry;
  readonly ledger: Pick<Ledger, 'list'>;
  readonly saved: SavedBook;
}

/** Every server of an agent, by name: those that are saved, and those that only run (R33, R58, R59). */
export async function serverReports(sources: ReportSources, agentId: AgentId): Promise<readonly ServerReport[]> {
  const rows = await listSaved(sources.saved, agentId);
  const keys = new Set<string>(rows.map(row => row.server));
  const unsaved = sources.fleet.list(agentId).filter(member => !keys.has(member.serverKey));
  const reports = [
    ...rows.map(row => savedReport(sources, agentId, row)),
    ...(await Promise.all(unsaved.map(member => memberReport(sources, member)))),
  ];
  return reports.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** One server by its key. Throws `unknown-server`. */
export async function serverReport(sources: ReportSources, agentId: AgentId, key: string): Promise<ServerReport> {
  const found = (await serverReports(sources, agentId)).find(report => report.server === key);
  if (found) return found;
  throw new LongshoreError('unknown-server', `There is no server ${JSON.stringify(key)} any more.`);
}

function savedReport(sources: ReportSources, agentId: AgentId, row: ListedSaved): ServerReport {
  const { enabled, life, image, diagnostics, error } = row;
  const member = sources.fleet.server(agentId, row.server);
  return masked(sources, {
    serverId: row.serverId,
    server: row.server,
    resourceId: image === undefined ? row.server : row.name,
    name: image ?? row.name,
    kind: row.kind,
    config: row.config,
    image: image ?? null,
    enabled,
    isLegacy: row.state === 'legacy',
    health: serverHealthOf({ agentId, serverKey: row.server, enabled, life, member }, sources),
    error,
    transport: row.transport ?? null,
    protocolVersion: row.protocol_version ?? null,
    protocolReason: reasonOf(member),
    holdings: row.holdings,
    tools: row.tools.map(tool => ({ ...tool, mounted: isMounted(sources, agentId, row.server, tool.handleName) })),
    diagnostics: [...diagnostics, ...(member?.discovery?.diagnostics ?? [])],
  });
}

async function memberReport(sources: ReportSources, member: ManagedServer): Promise<ServerReport> {
  const { agentId, serverKey, planned, state, connection, discovery } = member;
  const handles = sources.registry.list(agentId, { ownerKey: serverKey, kind: 'tool' });
  const holdings = await sources.ledger.list({ agentId, serverKey });
  const { image, diagnostics } = planned;
  return masked(sources, {
    serverId: null,
    server: serverKey,
    resourceId: image === undefined ? serverKey : imageServerId(agentId, image),
    name: planned.name,
    kind: planned.kind,
    config: shownConfig(planned.config as unknown as JsonObject),
    image: image ?? null,
    enabled: true,
    isLegacy: false,
    health: serverHealthOf({ agentId, serverKey, enabled: true, life: state, member }, sources),
    error: 'error' in state ? state.error : undefined,
    transport: connection?.transport ?? null,
    protocolVersion: connection?.protocolVersion ?? handles[0]?.protocolVersion ?? null,
    protocolReason: reasonOf(member),
    holdings: holdings.map(holding => holding.engineId ?? holding.name ?? holding.id),
    tools: handles.map(({ handleName, wireName, definition }): ToolReport => {
      const { description } = definition;
      const tool = { handleName, toolName: wireName, tokenCost: tokenCost(definition), mounted: true };
      return typeof description === 'string' ? { ...tool, description } : tool;
    }),
    diagnostics: [...diagnostics, ...(connection?.diagnostics() ?? []), ...(discovery?.diagnostics ?? [])],
  });
}

function reasonOf(member: ManagedServer | undefined): string | null {
  return (member && protocolReason(member.planned.config.protocol, member.lastSaid?.olderEra)) ?? null;
}

function isMounted({ registry }: ReportSources, agentId: AgentId, server: ServerKey, handleName: string): boolean {
  return registry.lookup(agentId, handleName)?.ownerKey === server;
}

/** Without the secrets that a server, or somebody's program, may have put into texts that are shown (S15). */
function masked({ redactor }: ReportSources, report: ServerReport): ServerReport {
  const { error, diagnostics, tools, serverId, config } = report;
  return {
    ...report,
    // What is saved holds no secret in clear, and whoever changes it gives it back as it was shown.
    config: serverId === null ? maskTexts(config, redactor) : config,
    error: error && new LongshoreError(error.code, redactor.text(error.message)),
    tools: tools.map(tool => ({
      ...tool,
      ...(tool.description !== undefined && { description: redactor.text(tool.description) }),
    })),
    diagnostics: diagnostics.map(note => ({ ...note, message: redactor.text(note.message) })),
  };
}
