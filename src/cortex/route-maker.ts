import { createRoute, type RouteConfig, type z } from '@hono/zod-openapi';
import type { RouteName, Routes } from '../client/api-types.ts';
import type { DoorName, HostService } from '../host/host-service.ts';
import type { Operator } from '../host/operator.ts';
import type { CortexApp, CortexContext } from './cortex-env.ts';
import { problemResponses, refuseInvalid } from './problem.ts';
import { agentQuery } from './views/common.ts';

/** What one route takes and gives; its name and its answer are those of the API (client/api-types.ts). */
export interface RouteSpec<Name extends RouteName, Params, Query, Body> {
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  readonly params?: z.ZodObject & z.ZodType<Params>;
  readonly query?: z.ZodObject & z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** The code of what its schema refuses; `usage` if not said. */
  readonly refusal?: 'bad-config';
  readonly answer: z.ZodType<Routes[Name]['answer']>;
  /** 200 if not said; what it depends on is found in the answer. */
  readonly status?: 201 | 202 | ((answer: Routes[Name]['answer']) => 200 | 202);
}

/** What a handler is given: what was asked, checked, and by whom. */
export interface Asked<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** `?agent=`, as it was given. */
  readonly agent: string | undefined;
  /** That agent, as its operator sees it. Rejects with `unknown-agent`. */
  operator(): Promise<Operator>;
  /** The door that the operator came through. */
  readonly door: DoorName;
  /** Aborted when whoever asked is gone. */
  readonly signal: AbortSignal;
}

/** Adds one JSON route. */
export type AddRoute = <Name extends RouteName, Params = undefined, Query = undefined, Body = undefined>(
  name: Name,
  spec: RouteSpec<Name, Params, Query, Body>,
  handler: (asked: Asked<Params, Query, Body>) => Promise<Routes[Name]['answer']>,
) => void;

/** Routes on an app, for the operator of that service. */
export function routeMaker(app: CortexApp, service: HostService): AddRoute {
  return (name, spec, handler) => {
    app.openapi(routeConfig(name, spec), async context => answer(context, spec, handler, service), refusalOf(spec));
  };
}

type AnySpec = Pick<
  RouteSpec<RouteName, unknown, unknown, unknown>,
  'summary' | 'params' | 'query' | 'body' | 'refusal'
> & { readonly answer: z.ZodType; readonly status?: unknown };

function routeConfig(name: RouteName, { summary, params, query, body, answer, status }: AnySpec): RouteConfig {
  const [method = '', path = ''] = name.split(' ');
  const gives = { description: 'What was asked for', content: { 'application/json': { schema: answer } } };
  const statuses = typeof status === 'function' ? [200, 202] : [Number(status ?? 200)];
  return createRoute({
    method: method.toLowerCase() as 'get',
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    summary,
    request: {
      ...(params && { params }),
      query: query ? query.extend(agentQuery.shape) : agentQuery,
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: { ...Object.fromEntries(statuses.map(code => [code, gives])), ...problemResponses },
  });
}

function refusalOf({ refusal }: AnySpec): ReturnType<typeof refuseInvalid> {
  return refuseInvalid(refusal);
}

async function answer<Name extends RouteName, Params, Query, Body>(
  context: CortexContext,
  spec: RouteSpec<Name, Params, Query, Body>,
  handler: (asked: Asked<Params, Query, Body>) => Promise<Routes[Name]['answer']>,
  service: HostService,
): Promise<Response> {
  // What was checked above is of the types that its schemas give.
  const valid = (part: string): unknown => context.req.valid(part as never);
  const query = valid('query') as Query & z.output<typeof agentQuery>;
  const principal = context.get('principal');
  const door = principal.kind === 'operator' && principal.channel === 'page' ? 'page' : 'rest';
  const given = await handler({
    params: (spec.params && valid('param')) as Params,
    query,
    body: (spec.body && valid('json')) as Body,
    agent: query.agent,
    operator: async () => service.operator(await service.agents.find(query.agent), door),
    door,
    signal: context.req.raw.signal,
  });
  const { status = 200 } = spec;
  return context.json(given as object, typeof status === 'function' ? status(given) : status);
}
