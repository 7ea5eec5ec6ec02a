import { LongshoreError } from '../../core/errors.ts';
import { bearerOf } from '../auth.ts';
import { type CortexApp, remoteAddress } from '../cortex-env.ts';
import { serviceRouteMaker } from '../route-maker.ts';
import { type SignIns, signInLimits } from '../sign-ins.ts';

/** Signing in with a link, out again, and making a link. `onGuess` is told of every token that is none. */
export function signInRoutes(app: CortexApp, signIns: SignIns, onGuess: (address: string) => void): void {
  const on = serviceRouteMaker(app);
  on('POST /api/sign-in', ({ body }, context) => {
    const token = signIns.exchange(body.token);
    if (token !== undefined) return { token, idleSeconds: signInLimits.idle / 1000 };
    onGuess(remoteAddress(context));
    throw new LongshoreError(
      'not-signed-in',
      'This sign-in link was used already or has expired. Open a new one: longshore serve prints it, and longshore status too.',
    );
  });
  on('POST /api/sign-in/links', () => ({ token: signIns.issue(), expiresInSeconds: signInLimits.link / 1000 }));
  on('POST /api/sign-out', (_, context) => {
    signIns.end(bearerOf(context.req.header('authorization')) ?? '');
    return { ok: true };
  });
}
