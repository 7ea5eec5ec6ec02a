import type { Deadlines } from '../core/deadlines.ts';
import type { JsonObject } from '../core/json.ts';
import type { Diagnostic, ServerKind } from '../core/words.ts';
import type { MCPServerConfig } from './types.ts';

/** How a container that we run ourselves is limited and what of the machine it may see; what is absent has a default. */
export interface ContainerSettings {
  /** `bridge` can reach the internet; `none` is only for images that speak stdio. */
  readonly network?: 'bridge' | 'none';
  /** Folders of the machine: `source:target` or `source:target:ro`, absolute; a source without a slash is a named volume. */
  readonly mounts?: readonly string[];
  /** `uid`, `uid:gid` or a name that the image knows, instead of the image's own. */
  readonly user?: string;
  /** Docker's own notation, e.g. `512m`. */
  readonly memory?: string;
  readonly cpus?: number;
  readonly pids?: number;
}

/** A server before it is started: what `plan` makes of a ref or a config, references unresolved. Plain data. */
export interface PlannedServer {
  /** The same for the same server of an agent: `config:<name>` or `image:<reference with its tag>`. */
  readonly identity: string;
  /** What a person calls it. */
  readonly name: string;
  /** The server key that it gets unless another server of its agent has it. */
  readonly wantedKey: string;
  readonly kind: ServerKind;
  /** Command, environment, endpoint and headers; of an image only `env`, and `args` behind the image. */
  readonly config: MCPServerConfig;
  /** The image of kind `docker-image`, with its tag explicit (R55). */
  readonly image?: string;
  readonly container?: ContainerSettings;
  /** Of kind `gateway`: its servers by name, as a catalog file describes them; their secrets are in `config.env`. */
  readonly gateway?: Readonly<Record<string, JsonObject>>;
  /** Flags that weaken isolation may be used. */
  readonly allowUnsafe?: boolean;
  readonly deadlines?: Partial<Deadlines>;
  readonly diagnostics: readonly Diagnostic[];
}
