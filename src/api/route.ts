import type { z } from '@hono/zod-openapi';

/** One route of the REST API: what it takes and gives. Its name, `METHOD /path/:part`, is its key in the table of its resource. */
export interface Route {
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** The parts of its path. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body of its 2xx answer. */
  readonly answer: z.ZodType;
  /** The code of what its schemas refuse; `usage` if not said. */
  readonly refusal?: 'bad-config';
  /** 200 if not said; what it depends on is found in the answer. */
  readonly status?: 201 | 202 | ((answer: object) => 200 | 202);
  /** True if it is about the service as a whole and takes no `?agent=`. */
  readonly ofService?: true;
  /** True if it needs no token. */
  readonly open?: true;
}

/** The routes of one resource, by name. */
export type RouteTable = Readonly<Record<`${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /api/${string}`, Route>>;
