/**
 * `npm run test:engines`: runs the scenarios with the subgraphs over HTTP, first behind our own gateway, where all must
 * pass, then behind Hive Gateway, where exactly those may fail that `differences.ts` explains.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readArguments } from '../../scripts/arguments.mjs';
import { DIFFERENCES, HIVE } from '../../test/engines/differences.js';
import { temporaryFolder } from '../../test/temporary-folder.js';
import { peersFolder } from './peers.js';

interface Scenario {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'pending';
  readonly failure: string;
}

readArguments('npm run test:engines', {});
const folder = temporaryFolder();
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const apart = runScenarios('apart', { TEST_SHAPE: 'apart' });
const engine = runScenarios(HIVE, { ENGINE_FOLDER: peersFolder() });

const explained = (name: string) =>
  DIFFERENCES.filter(({ scenarios }) => scenarios.some((one) => name.startsWith(one)));
const unexplained = [...failed(apart), ...failed(engine).filter(({ name }) => explained(name).length === 0)];
const stale = DIFFERENCES.flatMap(({ scenarios }) =>
  scenarios.filter((one) => !failed(engine).some(({ name }) => name.startsWith(one))),
);
console.log(`apart: ${told(apart)}\n${HIVE}: ${told(engine)}`);
for (const { name, failure } of unexplained)
  console.log(`✗ fails, and no difference explains it: ${name}\n  ${failure}`);
for (const one of stale) console.log(`✗ no longer fails, so that a difference is outdated: ${one}`);
process.exitCode = unexplained.length + stale.length > 0 ? 1 : 0;

function runScenarios(shape: string, more: Record<string, string>): readonly Scenario[] {
  const file = join(folder, `${shape.replaceAll(' ', '-')}.json`);
  const options = ['-t', shape, '--reporter=json', `--outputFile=${file}`];
  const command = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'rooms', 'test/scenarios', ...options];
  // Without this, a scenario whose request gets no response would wait for the minutes that a busy machine is allowed.
  spawnSync(process.execPath, [...command, '--testTimeout=120000'], {
    env: { ...process.env, ...more },
    stdio: 'ignore',
  });
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as { testResults: readonly FileResult[] };
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status, failureMessages }) => ({
      name: `${basename(name)}: ${title}`,
      status: status === 'skipped' ? 'pending' : status,
      failure: (failureMessages[0] ?? '').split('\n')[0] ?? '',
    })),
  );
}

interface FileResult {
  readonly name: string;
  readonly assertionResults: readonly {
    readonly title: string;
    readonly status: 'passed' | 'failed' | 'pending' | 'skipped';
    readonly failureMessages: readonly string[];
  }[];
}

function failed(scenarios: readonly Scenario[]): readonly Scenario[] {
  return scenarios.filter(({ status }) => status === 'failed');
}

function told(scenarios: readonly Scenario[]): string {
  const run = scenarios.filter(({ status }) => status !== 'pending');
  return `${run.length} scenarios, ${run.length - failed(run).length} pass, ${failed(run).length} do not`;
}
