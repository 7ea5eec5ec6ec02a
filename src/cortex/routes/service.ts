import type { ServiceView } from '../../api/service.ts';
import type { CortexApp } from '../cortex-env.ts';
import { serviceRouteMaker } from '../route-maker.ts';

/** The running service as its routes see it. */
export interface ServedService {
  view(): Promise<ServiceView>;
  /** Begins to stop; returns at once. */
  stop(): void;
}

/** `GET /api/service` and `POST /api/service/stop`. */
export function serviceRoutes(service: ServedService): (app: CortexApp) => void {
  return app => {
    const on = serviceRouteMaker(app);
    on('GET /api/service', () => service.view());
    on('POST /api/service/stop', () => {
      service.stop();
      return { ok: true };
    });
  };
}
