import type { MiddlewareHandler } from 'hono';
import { parseExactJson } from '../core/exact-json.ts';

/** For routes that pass what their body holds on to a server: its numbers keep the text that they were written as (B6). */
export const exactBody: MiddlewareHandler = async (context, next) => {
  const { req } = context;
  const json = async (): Promise<unknown> => parseExactJson(await req.text());
  req.json = json as typeof req.json;
  await next();
};
