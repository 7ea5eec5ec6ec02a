/**
 * The bodies of Cortex's REST API, one type for each request and answer, inferred from the schemas that Cortex checks
 * with; types alone, so a command loads none of them. All times are milliseconds since 1970. Every route that belongs to
 * an agent takes `?agent=`, a name or a DID; without it, it is the default agent's. In paths, `:ref` is a server id, a
 * server key or a saved name; it is URL-encoded like every part.
 */
export type * from '../api/agents.ts';
export type * from '../api/approvals.ts';
export type * from '../api/audit.ts';
export type * from '../api/catalog.ts';
export type * from '../api/commands.ts';
export type * from '../api/events.ts';
export type * from '../api/imports.ts';
export type { Done } from '../api/json.ts';
export type * from '../api/lifecycle.ts';
export type { RouteName, Routes } from '../api/routes.ts';
export type * from '../api/rules.ts';
export type * from '../api/secrets.ts';
export type * from '../api/servers.ts';
export type * from '../api/service.ts';
export type * from '../api/tokens.ts';
export type * from '../api/tools.ts';
export type { Level } from '../core/words.ts';
