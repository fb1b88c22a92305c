import { createRequire } from 'node:module';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LATE_OPTIMIZATION } from './test/v8-flags.js';

const { resolve } = createRequire(import.meta.url);

if (/[#?]/.test(import.meta.dirname)) {
  console.error('Tests do not start in a folder with # or ? in its path, which Vitest takes for parts of an address.');
  exit(1);
}

/** What takes longest is started first. The first two measure their own heap, which is small only at the start. */
const FIRST = ['bounds/caches', 'bounds/strangers', 'bounds/', 'truth/', 'sim/'];
/** Folders whose tests wait for a browser, a program or time to pass: started among others, they leave no core idle. */
const WAITING = ['browser/', 'reliability/', 'program/', 'lifecycle/', 'drift/'];
/** Others from one of them to the next: few enough that only others are left at the end. */
const BETWEEN = 4;

/**
 * Without room for young objects, moving them takes a tenth of all time, and a heap that starts small is collected in
 * full each time it has grown: another twelfth. Late optimization saves a sixth of the work.
 */
export const FLAGS = [
  ...['--min-semi-space-size=32', '--max-semi-space-size=64', '--initial-heap-size=700'],
  ...LATE_OPTIMIZATION,
];

/**
 * Node loads the compiled sources itself: a quarter less work than transforming them and looking up every import. Not
 * in watch mode, in which sources change after they were compiled.
 */
const IS_BUILT = argv.includes('run');
const LOADER = new URL('test/built/register.mjs', import.meta.url).href;
const ROOT = fileURLToPath(new URL('./', import.meta.url)).replace(/[^\w/]/g, '\\$&');
const COMPILED = new RegExp(
  // Loaded by a dynamic import, JSON would need the attribute that Vite drops.
  `^(?:file://)?${ROOT}(?!.*\\.json$)(?:schema|kernel|runtime|subgraphs|rows|sandbox|database|wiring|gateway|analyst(?!/page/)|main)[/.].*$`,
);

/** Longer runs, by their `--mode`: what they set. */
const MODES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  long: { TEST_RUNS: '10' },
  thousands: { TEST_RUNS: '340' },
  apart: { TEST_SHAPE: 'apart' },
  'older-chromium': { TEST_RUNS: '10', CHROMIUM_PATH: '' },
};
const env = MODES[argv[argv.indexOf('--mode') + 1] ?? ''];

class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const beginningWith = (places: readonly string[]) =>
      places.flatMap((place) =>
        sorted.filter(
          ({ moduleId }) => moduleId.includes(`/test/${place}`) || moduleId.includes(`/test-long/${place}`),
        ),
      );
    const first = new Set(beginningWith(FIRST));
    const waiting = beginningWith(WAITING);
    const others = sorted.filter((file) => !first.has(file) && !waiting.includes(file));
    const mixed = waiting.flatMap((file, at) => [file, ...others.slice(at * BETWEEN, (at + 1) * BETWEEN)]);
    return [...first, ...mixed, ...others.slice(waiting.length * BETWEEN)];
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
    execArgv: IS_BUILT ? [...FLAGS, '--import', LOADER] : FLAGS,
    server: { deps: { external: IS_BUILT ? [COMPILED] : [] } },
    // Files share their process: no test replaces a module, and the sandbox's world is made once for all of them.
    isolate: false,
    // They end what hangs and assert nothing: a machine that is busy with other work must not fail a test.
    testTimeout: env === undefined ? 300_000 : 3_000_000,
    env: env ?? {},
    hookTimeout: 300_000,
    sequence: { sequencer: Mixed },
    // Twice the cores of the smallest machine of CI: each waits for a browser, a server or a timer part of its
    // time (149 s; 157 with three). Each needs a gigabyte.
    maxWorkers: 4,
    globalSetup: ['test/build.ts', 'test/temporary-folder.ts'],
    name: 'rooms',
    include: ['test/**/*.test.ts', ...(env === undefined ? [] : ['test-long/**/*.test.ts'])],
  },
});
