import type { RouteName, Routes } from '../api/routes.ts';
import { parseExactJson } from '../core/exact-json.ts';
import { asJson, failureOf } from './problem.ts';
import { readText, send } from './send.ts';
import type { Target } from './target.ts';

/** What a route is asked with, by its own type: `params` of its path, `query`, `body`; and what belongs to the request. */
export type Asked<Route extends RouteName> = Omit<Routes[Route], 'answer'> & {
  /** Of another than the client's own agent: name or DID. */
  readonly agent?: string;
  readonly signal?: AbortSignal;
  /** Numbers that JavaScript would print otherwise keep their text, as objects that `JSON.stringify` writes as they came. */
  readonly exact?: boolean;
};

/** Routes that need nothing can be asked without anything. */
export type AskArguments<Route extends RouteName> =
  Record<never, never> extends Asked<Route> ? [asked?: Asked<Route>] : [asked: Asked<Route>];

/** Any route's question, as `ask` reads it. */
interface AnyAsked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly agent?: string;
  readonly signal?: AbortSignal;
  readonly exact?: boolean;
}

/**
 * Asks one route and gives its answer. Rejects with the problem's LongshoreError, `unreachable`, `unknown-outcome` or
 * `cancelled`.
 */
export async function ask<Route extends RouteName>(
  target: Target,
  route: Route,
  ...[asked]: AskArguments<Route>
): Promise<Routes[Route]['answer']> {
  const given: AnyAsked = asked ?? {};
  const [method = '', template = ''] = route.split(' ');
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(given.params?.[name] ?? ''));
  const outgoing = {
    method,
    path: path + queryText({ ...given.query, agent: given.agent }),
    ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    ...(given.signal && { signal: given.signal }),
  };
  const response = await send(target, outgoing);
  const text = await readText(response, target, outgoing);
  const { statusCode = 0 } = response;
  const answer = asJson(text, given.exact === true ? parseExactJson : JSON.parse);
  if (statusCode >= 200 && statusCode < 300 && answer !== undefined) return answer as Routes[Route]['answer'];
  throw failureOf(statusCode, text, target.url);
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [`${name}=${encodeURIComponent(text)}`];
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
