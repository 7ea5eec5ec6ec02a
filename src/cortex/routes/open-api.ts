import { version } from '../../core/version.ts';
import type { CortexApp } from '../cortex-env.ts';

/** `GET /api/openapi.json`: every route, made from what the routes themselves check with. */
export function openApiRoute(app: CortexApp): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: "The operator's token from operator.token in the home folder, or a signed-in page's",
  });
  app.get('/api/openapi.json', context =>
    context.json(
      app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: { title: 'Longshore Cortex', version, license: { name: 'MIT' } },
        security: [{ bearer: [] }],
      }),
    ),
  );
}
