import { inferTransport } from '../config/infer-transport.ts';
import { parseConfigBody } from '../config/parse-config-body.ts';
import type { ContainerSettings, PlannedServer } from '../config/planned-server.ts';
import type { MCPServerConfig } from '../config/types.ts';
import type { Deadlines } from '../core/deadlines.ts';
import type { ServerKind } from '../core/words.ts';
import { imageServerKey, normaliseImage } from '../docker/image-reference.ts';
import { parseRun } from '../docker/parse-run.ts';

/** What a person may set beside a ref or a config. */
export interface PlanSettings {
  readonly env?: Readonly<Record<string, string>>;
  /** What the image is started with, behind its name. */
  readonly args?: readonly string[];
  readonly container?: ContainerSettings;
  readonly allowUnsafe?: boolean;
  readonly deadlines?: Partial<Deadlines>;
  /** See `MCPServerConfig.protocol`. */
  readonly protocol?: string;
  /** Of an entry of a catalog: the values of its settings, by their keys. */
  readonly values?: Readonly<Record<string, string>>;
}

/** The plan of a config, or of an image by its reference. Pure. Throws `usage` or `bad-config`. */
export function plan(server: string | MCPServerConfig, settings: PlanSettings = {}): PlannedServer {
  return typeof server === 'string' ? planImage(server, settings) : planConfig(server, settings);
}

function planImage(ref: string, settings: PlanSettings): PlannedServer {
  const image = normaliseImage(ref);
  const { env, args, container, allowUnsafe, deadlines, protocol } = settings;
  return {
    identity: `image:${image}`,
    name: image,
    wantedKey: imageServerKey(image),
    kind: 'docker-image',
    config: {
      name: imageServerKey(image),
      ...(env && { env }),
      ...(args && { args }),
      ...(protocol !== undefined && { protocol }),
    },
    image,
    ...(container && { container }),
    ...(allowUnsafe && { allowUnsafe }),
    ...(deadlines && { deadlines }),
    diagnostics: [],
  };
}

function planConfig(body: MCPServerConfig, settings: PlanSettings): PlannedServer {
  const parsed = parseConfigBody(body);
  if ('error' in parsed) throw parsed.error;
  const { config, diagnostics } = parsed;
  const deadlines = { ...config.deadlines, ...settings.deadlines };
  return {
    identity: `config:${config.name}`,
    name: config.name,
    wantedKey: keyOf(config.name),
    kind: kindOf(config),
    config: {
      ...config,
      ...(settings.env && { env: { ...config.env, ...settings.env } }),
      ...(settings.protocol !== undefined && { protocol: settings.protocol }),
    },
    ...(settings.allowUnsafe && { allowUnsafe: true }),
    deadlines,
    diagnostics,
  };
}

function kindOf(config: MCPServerConfig): ServerKind {
  if (inferTransport(config) !== 'stdio') return 'remote';
  return parseRun(config.command ?? '', config.args ?? []) ? 'docker-run' : 'process';
}

/** A config's name as a server key; names that differ only in other characters are told apart when they meet (Fleet). */
function keyOf(name: string): string {
  return (
    name
      .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 64) || 'server'
  );
}
