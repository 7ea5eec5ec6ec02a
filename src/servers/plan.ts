import { inferTransport } from '../config/infer-transport.ts';
import { parseConfigBody } from '../config/parse-config-body.ts';
import type { ContainerSettings, PlannedServer } from '../config/planned-server.ts';
import { selector } from '../config/selector.ts';
import type { MCPServerConfig } from '../config/types.ts';
import type { Deadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
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
}

/** The names that a bare word can mean. */
export interface KnownServers {
  readonly saved: ReadonlyMap<string, PlannedServer>;
}

/**
 * The one way from what a person typed to a server (design.md, "ref"): a config, an explicit image (it has `/`, `:` or
 * `@`), or the name of a saved server. Pure. Throws `usage`, `bad-config`, `ambiguous-ref` or `unknown-server`.
 */
export function plan(ref: string | MCPServerConfig, known: KnownServers, settings: PlanSettings = {}): PlannedServer {
  if (typeof ref !== 'string') return planConfig(ref, settings);
  const name = selector(ref);
  const saved = known.saved.get(name);
  if (!isExplicitImage(name)) {
    if (saved) return saved;
    const names = [...known.saved.keys()];
    const list = names.length === 0 ? 'no server is saved' : `saved are ${names.join(', ')}`;
    throw new LongshoreError(
      'unknown-server',
      `There is no server ${JSON.stringify(name)}: ${list}. An image is written with its tag or folder, such as ${name}:latest.`,
    );
  }
  if (saved) {
    throw new LongshoreError(
      'ambiguous-ref',
      `${name} is an image and also the name of a saved server; rename the saved one.`,
    );
  }
  return planImage(name, settings);
}

/** True for a ref that can only be an image. */
export function isExplicitImage(ref: string): boolean {
  return /[/:@]/.test(ref);
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
