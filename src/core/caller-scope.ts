/** What a client's token reaches, and how much of that its lists show at first. Patterns are those of rules, without `by`, `for` and `when`. */
export interface CallerScope {
  /** Keys of the servers it may use; `null`: all. */
  readonly servers: readonly string[] | null;
  /** Groups of tools, resources and prompts, e.g. `github.*`, `*.read_*`; `null`: all. */
  readonly tools: readonly string[] | null;
  /** `read-only`: of tools only those that say of themselves that they only read. */
  readonly risk: 'all' | 'read-only';
  /** Whether lists show all that it may call, or what is pinned, and the rest once it was searched for. */
  readonly list: 'all' | { readonly pins: readonly string[] };
  /** Whether it may ask to search, load and unload servers. */
  readonly manages: boolean;
}

/** The scope of a token that nobody has limited: every server of its agent, and none of the agent's affairs. */
export const wholeScope: CallerScope = { servers: null, tools: null, risk: 'all', list: 'all', manages: false };

/** The scope of a token that is revoked: nothing. */
export const emptyScope: CallerScope = { servers: [], tools: [], risk: 'read-only', list: 'all', manages: false };
