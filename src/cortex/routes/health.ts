import { version } from '../../core/version.ts';
import type { CortexApp } from '../cortex-env.ts';
import { serviceRouteMaker } from '../route-maker.ts';

/** `GET /api/health`: version and readiness, and nothing else, for anybody. */
export function healthRoute(app: CortexApp, isReady: () => boolean): void {
  serviceRouteMaker(app)('GET /api/health', () => ({ name: 'longshore', version, ready: isReady() }));
}
