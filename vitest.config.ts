import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/summary-reporter.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**'],
    reporters: ['default', new SummaryReporter()],
    testTimeout: 15_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});
