import { createRoute, z } from '@hono/zod-openapi';
import { LongshoreError } from '../../core/errors.ts';
import { bearerOf } from '../auth.ts';
import { type CortexApp, remoteAddress } from '../cortex-env.ts';
import { problemResponses } from '../problem.ts';
import { type SignIns, signInLimits } from '../sign-ins.ts';

const signIn = createRoute({
  method: 'post',
  path: '/api/sign-in',
  summary: "Exchange a sign-in link's one-time token for a session's token; needs no other",
  security: [],
  request: {
    body: {
      required: true,
      content: { 'application/json': { schema: z.object({ token: z.string().max(200) }).openapi('SignIn') } },
    },
  },
  responses: {
    200: {
      description: 'Signed in',
      content: {
        'application/json': {
          schema: z.object({ token: z.string(), idleSeconds: z.int() }).openapi('Session'),
        },
      },
    },
    ...problemResponses,
  },
});

const signOut = createRoute({
  method: 'post',
  path: '/api/sign-out',
  summary: "End this page's session",
  responses: {
    200: {
      description: 'Signed out',
      content: { 'application/json': { schema: z.object({ ok: z.literal(true) }) } },
    },
    ...problemResponses,
  },
});

const link = createRoute({
  method: 'post',
  path: '/api/sign-in/links',
  summary: 'Make a one-time token for a sign-in link',
  responses: {
    201: {
      description: 'A token to put into the fragment of the address of the page',
      content: {
        'application/json': {
          schema: z.object({ token: z.string(), expiresInSeconds: z.int() }).openapi('SignInLink'),
        },
      },
    },
    ...problemResponses,
  },
});

/** Signing in with a link, out again, and making a link. `onGuess` is told of every token that is none. */
export function signInRoutes(app: CortexApp, signIns: SignIns, onGuess: (address: string) => void): void {
  app.openapi(signIn, context => {
    const token = signIns.exchange(context.req.valid('json').token);
    if (token !== undefined) return context.json({ token, idleSeconds: signInLimits.idle / 1000 }, 200);
    onGuess(remoteAddress(context));
    throw new LongshoreError(
      'not-signed-in',
      'This sign-in link was used already or has expired. Open a new one: longshore serve prints it, and longshore status too.',
    );
  });
  app.openapi(link, context =>
    context.json({ token: signIns.issue(), expiresInSeconds: signInLimits.link / 1000 }, 201),
  );
  app.openapi(signOut, context => {
    signIns.end(bearerOf(context.req.header('authorization')) ?? '');
    return context.json({ ok: true } as const, 200);
  });
}
