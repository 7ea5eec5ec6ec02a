import type { TransportName } from '../core/words.ts';

/** How an entry of a catalog is started. */
export type CatalogStart =
  /** An image that Longshore runs itself; the Docker MCP Gateway would run the same one. */
  | {
      readonly kind: 'image';
      readonly image: string;
      /** Behind the image; with templates. */
      readonly command: readonly string[];
      /** `source:target`, with templates; a source without a slash is a named volume. */
      readonly volumes: readonly string[];
      readonly user: string | undefined;
      /** False where the catalog says that it needs no network. */
      readonly network: boolean;
      /** What it says it reaches, `host:port`; told and not enforced. */
      readonly hosts: readonly string[];
    }
  | {
      readonly kind: 'remote';
      readonly url: string;
      readonly transport: TransportName | undefined;
      /** With `${VARIABLE}` where a secret belongs. */
      readonly headers: Readonly<Record<string, string>>;
    }
  /** A package, by the launcher that downloads it. */
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }
  /** Told in lists, and refused with the reason. */
  | { readonly kind: 'none'; readonly reason: string };

/** A value that an entry is started with, which is no secret. */
export interface CatalogSetting {
  /** As templates name it: `weather.region`. */
  readonly key: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly byDefault: string | undefined;
}

/** A secret that an entry needs, and the variable in which it is told. */
export interface CatalogSecret {
  /** As it is kept: `longshore secret set NAME`. */
  readonly name: string;
  readonly variable: string;
}

/** One server that can be loaded, as its catalog describes it. Plain data: it is cached as JSON. */
export interface CatalogEntry {
  /** What `load` takes; unique within its catalog. */
  readonly name: string;
  /** The catalog that it stands in: `docker`, `curated` … */
  readonly catalog: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly tags: readonly string[];
  /** Names of its tools, where the catalog has them. */
  readonly tools: readonly string[];
  readonly start: CatalogStart;
  readonly secrets: readonly CatalogSecret[];
  readonly settings: readonly CatalogSetting[];
  /** Variables with templates. */
  readonly env: Readonly<Record<string, string>>;
}

/** The entries of one catalog, and how many it has that cannot be named. */
export interface CatalogContent {
  readonly title: string | undefined;
  readonly entries: readonly CatalogEntry[];
  /** Definitions without a name: counted, and not loadable. */
  readonly unnamed: number;
}
