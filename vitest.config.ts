import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const { resolve } = createRequire(import.meta.url);

export default defineConfig({
  resolve: {
    // Node resolves `graphql` to its CommonJS build for everyone; without this, tests would get a second copy of it.
    alias: [{ find: /^graphql$/, replacement: resolve('graphql') }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    // Files share their process: no test replaces a module, and the sandbox's world is made once for all of them.
    isolate: false,
    // One for each core of the smallest machine that CI has.
    maxWorkers: 2,
    // Whole-stack scenarios start real servers; a slow machine must not fail them.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
