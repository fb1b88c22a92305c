import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    // Whole-stack scenarios start real servers; a slow machine must not fail them.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
