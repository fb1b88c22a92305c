import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const { resolve } = createRequire(import.meta.url);

/** What is measured there is a server in a process of its own. */
const BOUNDS = 'test/bounds/**/*.test.ts';

export default defineConfig({
  resolve: {
    // Node resolves `graphql` to its CommonJS build for everyone; without this, tests would get a second copy of it.
    alias: [{ find: /^graphql$/, replacement: resolve('graphql') }],
  },
  test: {
    environment: 'node',
    pool: 'forks',
    // Files share their process: no test replaces a module, and the sandbox's world is made once for all of them.
    isolate: false,
    // They end what hangs and assert nothing: a machine that is busy with other work must not fail a test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: [BOUNDS],
          // One for each core of the smallest machine that CI has.
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'bounds',
          include: [BOUNDS],
          globalSetup: ['test/bounds/support/build.ts'],
          // After all others and one file at a time: the server and its callers have the machine to themselves.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
