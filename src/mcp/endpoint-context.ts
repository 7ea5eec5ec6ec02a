import type { AgentId } from '../core/ids.ts';
import type { Log } from '../core/ports/log.ts';
import type { ClientSide } from '../host/client-access.ts';
import type { KeptResults } from './kept-results.ts';
import type { LinkedResources } from './linked-resources.ts';
import type { ToolFinder } from './methods/tool-finder.ts';
import type { Views } from './views.ts';

/** How the endpoint behaves; times in milliseconds. */
export interface EndpointSettings {
  /** How long a call waits for a decision before its client is told where to make it. */
  readonly patience: number;
  /** Characters of a result's JSON; a longer one is kept as a resource and summarised. */
  readonly resultLimit: number;
}

/** What the methods stand on. */
export interface EndpointContext {
  readonly host: ClientSide;
  readonly settings: EndpointSettings;
  readonly views: Views;
  readonly kept: KeptResults;
  readonly links: LinkedResources;
  readonly finder: ToolFinder;
  readonly log: Log;
  /** A client has said which log messages it wants. */
  logLevelSet(agentId: AgentId): void;
  /** Where the page is, for the link in a question. */
  url(): string;
}
