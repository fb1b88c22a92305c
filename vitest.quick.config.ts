import { defineConfig } from 'vitest/config';
import { SERVICES } from './kernel/services.js';
import all, { FLAGS } from './vitest.config.js';

const ROOMS = ['codes', 'schema', 'graph', 'rest', ...SERVICES];
const SCENARIOS = ['calls', 'planner-traps', 'quota'];
/** Many random runs, or large pages: seconds each. */
const LONG = ['isolation', 'mutated-payloads', 'mission-counts'];

/** `npm run test:quick`: half a minute on two cores. */
export default defineConfig({
  resolve: all.resolve ?? {},
  test: {
    ...all.test,
    // It builds nothing first.
    globalSetup: ['test/temporary-folder.ts'],
    execArgv: FLAGS,
    server: {},
    include: [
      ...ROOMS.map((room) => `test/${room}/**/*.test.ts`),
      ...SCENARIOS.map((name) => `test/scenarios/${name}.test.ts`),
    ],
    exclude: LONG.map((name) => `**/${name}.test.ts`),
  },
});
