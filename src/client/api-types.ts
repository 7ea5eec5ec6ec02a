/**
 * The bodies of Cortex's REST API, one type for each request and answer; routes, CLI and page share them. All times are
 * milliseconds since 1970. Every route that belongs to an agent takes `?agent=`, a name or a DID; without it, it is the
 * default agent's. In paths, `:ref` is a server id, a server key or a saved name; it is URL-encoded like every part.
 */
export type * from './api/events.ts';
export type * from './api/governance.ts';
export type * from './api/operator.ts';
export type * from './api/routes.ts';
export type * from './api/servers.ts';
export type * from './api/service.ts';
export type * from './api/tools.ts';
