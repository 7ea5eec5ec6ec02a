import type { z } from '@hono/zod-openapi';
import { agentRoutes } from './agents.ts';
import { approvalRoutes } from './approvals.ts';
import { auditRoutes } from './audit.ts';
import { catalogRoutes } from './catalog.ts';
import { commandRoutes } from './commands.ts';
import { importRoutes } from './imports.ts';
import type { Json, JsonInput } from './json.ts';
import { lifecycleRoutes } from './lifecycle.ts';
import type { Route } from './route.ts';
import { ruleRoutes } from './rules.ts';
import { secretRoutes } from './secrets.ts';
import { serverRoutes } from './servers.ts';
import { serviceRoutes } from './service.ts';
import { tokenRoutes } from './tokens.ts';
import { toolRoutes } from './tools.ts';

/** Every JSON route of the REST API. A new resource is a new file beside this one and a line here. */
export const routeTable = {
  ...serviceRoutes,
  ...serverRoutes,
  ...catalogRoutes,
  ...importRoutes,
  ...lifecycleRoutes,
  ...commandRoutes,
  ...toolRoutes,
  ...approvalRoutes,
  ...ruleRoutes,
  ...auditRoutes,
  ...agentRoutes,
  ...tokenRoutes,
  ...secretRoutes,
} as const;

/** A method and a path, e.g. `GET /api/mcp/status`. */
export type RouteName = keyof typeof routeTable;

/** Every JSON route that clients use: what is asked with, and the body of its 2xx answer. */
export type Routes = { readonly [Name in RouteName]: AskedWith<(typeof routeTable)[Name]> };

/** What a handler of a route is given, checked. */
export interface Taken<Name extends RouteName> {
  readonly params: Part<Name, 'params'>;
  readonly query: Part<Name, 'query'>;
  readonly body: Part<Name, 'body'>;
}

type Part<Name extends RouteName, Which extends 'params' | 'query' | 'body'> =
  (typeof routeTable)[Name] extends Readonly<Record<Which, infer Schema extends z.ZodType>>
    ? z.output<Schema>
    : undefined;

type AskedWith<Spec extends Route> = Params<Spec> &
  Query<Spec> &
  Body<Spec> & { readonly answer: Json<Spec['answer']> };

type Params<Spec> = Spec extends { readonly params: infer Schema extends z.ZodType }
  ? { readonly params: JsonInput<Schema> }
  : unknown;

/** A query of which nothing is required may be left out. */
type Query<Spec> = Spec extends { readonly query: infer Schema extends z.ZodType }
  ? Record<never, never> extends z.input<Schema>
    ? { readonly query?: JsonInput<Schema> }
    : { readonly query: JsonInput<Schema> }
  : unknown;

type Body<Spec> = Spec extends { readonly body: infer Schema extends z.ZodType }
  ? { readonly body: JsonInput<Schema> }
  : unknown;
