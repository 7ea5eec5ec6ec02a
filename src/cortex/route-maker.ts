import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import type { Route } from '../api/route.ts';
import { type RouteName, type Routes, routeTable, type Taken } from '../api/routes.ts';
import type { ChannelName, HostService } from '../host/host-service.ts';
import type { Operator } from '../host/operator.ts';
import type { CortexApp, CortexContext } from './cortex-env.ts';
import { problemResponses, refuseInvalid } from './problem.ts';

/** What every route takes that belongs to an agent. */
export const agentQuery = z.object({
  agent: z.string().min(1).max(256).optional().openapi({ description: "Name or DID; the home's own agent if absent" }),
});

/** What a handler is given: what was asked, checked, and by whom. */
export interface Asked<Name extends RouteName> extends Taken<Name> {
  /** `?agent=`, as it was given. */
  readonly agent: string | undefined;
  /** That agent, as its operator sees it. Rejects with `unknown-agent`. */
  operator(): Promise<Operator>;
  /** The door that the operator came through. */
  readonly door: ChannelName;
  /** Aborted when whoever asked is gone. */
  readonly signal: AbortSignal;
}

/** Implements one route of the API (src/api). */
export type AddRoute = <Name extends RouteName>(
  name: Name,
  handler: (asked: Asked<Name>) => Promise<Routes[Name]['answer']>,
) => void;

/** Routes on an app, for the operator of that service. */
export function routeMaker(app: CortexApp, service: HostService): AddRoute {
  return (name, handler) => {
    const route: Route = routeTable[name];
    app.openapi(
      routeConfig(name),
      async context => {
        const given = await handler(askedOf(context, route, service));
        return respond(context, route, given);
      },
      refuseInvalid(route.refusal),
    );
  };
}

/** Implements routes that need no agent and no operator, such as those about the service itself. */
export type AddServiceRoute = <Name extends RouteName>(
  name: Name,
  handler: (taken: Taken<Name>, context: CortexContext) => Promise<Routes[Name]['answer']> | Routes[Name]['answer'],
) => void;

/** Routes on an app, about the service as a whole. */
export function serviceRouteMaker(app: CortexApp): AddServiceRoute {
  return (name, handler) => {
    const route: Route = routeTable[name];
    app.openapi(
      routeConfig(name),
      async context => respond(context, route, await handler(takenOf(context, route), context)),
      refuseInvalid(route.refusal),
    );
  };
}

function routeConfig(name: RouteName): RouteConfig {
  const { summary, params, query, body, answer, status, ofService, open }: Route = routeTable[name];
  const [method = '', path = ''] = name.split(' ');
  const gives = { description: 'What was asked for', content: { 'application/json': { schema: answer } } };
  const statuses = typeof status === 'function' ? [200, 202] : [status ?? 200];
  const queries = ofService ? query : query ? query.extend(agentQuery.shape) : agentQuery;
  return createRoute({
    method: method.toLowerCase() as 'get',
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    summary,
    ...(open && { security: [] }),
    request: {
      ...(params && { params }),
      ...(queries && { query: queries }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: { ...Object.fromEntries(statuses.map(code => [code, gives])), ...problemResponses },
  });
}

/** What was checked by the route's schemas is of the types that they give. */
function takenOf<Name extends RouteName>(context: CortexContext, { params, query, body }: Route): Taken<Name> {
  const valid = (part: string): unknown => context.req.valid(part as never);
  return {
    params: params && valid('param'),
    query: query && valid('query'),
    body: body && valid('json'),
  } as Taken<Name>;
}

function askedOf<Name extends RouteName>(context: CortexContext, route: Route, service: HostService): Asked<Name> {
  const principal = context.get('principal');
  const door = principal.kind === 'operator' && principal.channel === 'page' ? 'page' : 'rest';
  const { agent } = context.req.valid('query' as never) as z.output<typeof agentQuery>;
  return {
    ...takenOf<Name>(context, route),
    agent,
    operator: async () => service.operator(await service.agents.find(agent), door),
    door,
    signal: context.req.raw.signal,
  };
}

function respond(context: CortexContext, { status }: Route, answer: object): Response {
  return context.json(answer, typeof status === 'function' ? status(answer) : (status ?? 200));
}
