import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/summary-reporter.ts';

// Nothing is ever read from the real catalog: names that nobody knows find one that is not there.
const env = { KESTREL_MCP_DOCKER_CATALOG: '127.0.0.1:9/no/catalog' };
const timeouts = { testTimeout: 15_000, hookTimeout: 60_000, teardownTimeout: 30_000 };

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter()],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/*.test.ts', 'test/fixtures/**/*.test.ts'],
          env,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/*/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/fixtures/**', 'test/docker/**'],
          sequence: { groupOrder: 1 },
          env,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'docker',
          include: ['test/docker/**/*.test.ts'],
          // They compare the list of all containers, so they must have the engine to themselves.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          env,
          ...timeouts,
        },
      },
    ],
  },
});
