import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const { resolve } = createRequire(import.meta.url);

/** They run the built server in a process of its own, as users do. */
const BUILT = ['test/bounds/**/*.test.ts', 'test/program/**/*.test.ts'];
/** There, waits of two kinds of callers are compared: it needs the machine to itself. */
const ALONE = 'test/bounds/neighbour.test.ts';

/** Projects one after the other, `built` first: a process that is kept for further files of its project ends otherwise. */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((one, other) => one.project.name.localeCompare(other.project.name));
  }
}

export default defineConfig({
  resolve: {
    // Node resolves `graphql` to its CommonJS build for everyone; without this, tests would get a second copy of it.
    alias: [{ find: /^graphql$/, replacement: resolve('graphql') }],
  },
  test: {
    environment: 'node',
    pool: 'forks',
    // As `npm start` does: without room for young objects, a tenth of all time goes into moving them.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
    // Files share their process: no test replaces a module, and the sandbox's world is made once for all of them.
    isolate: false,
    // They end what hangs and assert nothing: a machine that is busy with other work must not fail a test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    sequence: { sequencer: ByProject },
    // One more than the smallest machine of CI has cores: some tests mostly wait.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: BUILT,
          globalSetup: ['test/browser/build-page.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'built',
          include: BUILT,
          exclude: [ALONE],
          globalSetup: ['test/bounds/support/build.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: [ALONE],
          globalSetup: ['test/bounds/support/build.ts'],
          // After all others.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
