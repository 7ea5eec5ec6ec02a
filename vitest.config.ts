import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/summary-reporter.ts';

const timeouts = { testTimeout: 15_000, hookTimeout: 60_000, teardownTimeout: 30_000 };

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter()],
    projects: [
      {
        test: {
          name: 'all',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'dist/**', 'test/docker/**'],
          ...timeouts,
        },
      },
      {
        test: {
          name: 'docker',
          include: ['test/docker/**/*.test.ts'],
          // They compare the list of all containers, so they must have the engine to themselves.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          ...timeouts,
        },
      },
    ],
  },
});
