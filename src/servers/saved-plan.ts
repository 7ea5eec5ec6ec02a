import type { ContainerSettings, PlannedServer } from '../config/planned-server.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { imageServerId } from '../docker/image-reference.ts';
import type { SavedServer, ServerEntry } from '../store/servers.ts';
import { plan } from './plan.ts';

/** What is saved of a server besides its config. */
export interface SavedSettings {
  readonly allowUnsafe?: boolean;
  readonly container?: ContainerSettings;
  /** Secrets may stand in the command line, where every program of the machine can read them. */
  readonly allowSecretArguments?: boolean;
  /** Names in the secret store that were made for this server, and go with it. */
  readonly secrets?: readonly string[];
}

/** What a server would start as: the part of a row that a change of its start changes. */
export type SavedStart = Pick<ServerEntry, 'mode' | 'config' | 'image' | 'args'>;

/** The member of `config` that holds the settings; no field of an MCPServerConfig. */
const settingsKey = 'settings';

/** A row's name: the config's own, or the full id of an image's container (R55, R59). */
export function savedName(agentId: AgentId, planned: PlannedServer): string {
  return planned.image === undefined ? planned.name : imageServerId(agentId, planned.image);
}

/** What is saved of a plan; `plannedOf` makes the plan of it again. */
export function startOf(planned: PlannedServer, settings: SavedSettings): SavedStart {
  const { config, image, deadlines, allowUnsafe, container } = planned;
  const { name, args, deadlines: _, ...rest } = config;
  const kept: SavedSettings = {
    ...(allowUnsafe && { allowUnsafe }),
    ...(container && { container }),
    ...(settings.allowSecretArguments && { allowSecretArguments: true }),
    ...(settings.secrets && settings.secrets.length > 0 && { secrets: settings.secrets }),
  };
  const saved = {
    ...(image === undefined && { name, ...(args && { args }) }),
    ...rest,
    ...(deadlines && Object.keys(deadlines).length > 0 && { deadlines }),
    ...(Object.keys(kept).length > 0 && { [settingsKey]: kept }),
  } as unknown as JsonObject;
  if (image === undefined) return { mode: 'config', config: saved, image: null, args: null };
  return { mode: 'container', config: saved, image, args: args ?? null };
}

/** The settings of a row. */
export function settingsOf({ config }: Pick<SavedServer, 'config'>): SavedSettings {
  const settings = config?.[settingsKey];
  return isJsonObject(settings) ? (settings as SavedSettings) : {};
}

/** The config of a row as a person may see and change it: without our settings, references unresolved. */
export function configOf({ config, args }: Pick<SavedServer, 'config' | 'args'>): JsonObject {
  const { [settingsKey]: _, ...own } = config ?? {};
  return args === null ? own : { ...own, args };
}

/** The plan of a row, by the mode it was saved in and nothing else (R69). Throws `bad-config` for a damaged row. */
export function plannedOf(row: Pick<SavedServer, 'name' | 'mode' | 'config' | 'image' | 'args'>): PlannedServer {
  if (row.mode === 'container' ? row.image === null : row.config === null) {
    throw new LongshoreError('bad-config', `What is saved of ${row.name} is damaged. Remove it and add it again.`);
  }
  const { allowUnsafe, container } = settingsOf(row);
  const { env, args, deadlines, protocol, name: _, ...config } = configOf(row) as unknown as MCPServerConfig;
  const settings = { ...(allowUnsafe && { allowUnsafe }), ...(container && { container }) };
  const start = {
    ...(env && { env }),
    ...(args && { args }),
    ...(deadlines && { deadlines }),
    ...(protocol !== undefined && { protocol }),
  };
  if (row.image === null) return plan({ ...config, ...start, name: row.name }, settings);
  return plan(row.image, { ...settings, ...start });
}

/** True for an entry of an older Longshore, named by an id that did not tell agents apart; it is never restored (R59). */
export function isLegacy({
  mode,
  name,
  image,
  agentId,
}: Pick<SavedServer, 'mode' | 'name' | 'image' | 'agentId'>): boolean {
  if (mode !== 'container' || image === null) return false;
  try {
    return name !== imageServerId(agentId, image);
  } catch {
    // No image reference at all: damaged, and told as that.
    return false;
  }
}

/** What to do about a legacy entry (R59). */
export function legacyError({ name, image }: SavedServer): LongshoreError {
  return new LongshoreError(
    'usage',
    `${name} was saved by an older version and is not started. Remove it with !mcp-unload ${name}, then !mcp-load ${image}.`,
  );
}
