import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type SendOptions, type StackResponse, send } from '../../scenarios/stack.js';
import { temporaryFolder } from '../../temporary-folder.js';

/** A build of this repository's past: the sources of a commit, run as they are, with today's packages. */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MEGABYTES = 2 ** 20;

/** A process of an older build. */
export interface OlderProcess {
  readonly url: string;
  send(query: string, options?: SendOptions): Promise<StackResponse>;
  close(): Promise<void>;
}

/** Starts a process of an older build with these variables: all in one, `gateway`, or a subgraph by its name. */
export type StartOlder = (env: Record<string, string>, ...command: readonly string[]) => Promise<OlderProcess>;

/** Opens the build of a commit; null, with a line that says why, where the history does not have it. */
export function openOlderBuild(commit: string): StartOlder | null {
  const { status, stdout } = spawnSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 200 * MEGABYTES });
  if (status !== 0) {
    console.warn(`git has no ${commit}: tests with that build were left out (\`git fetch --unshallow\` brings it).`);
    return null;
  }
  const folder = temporaryFolder();
  execFileSync('tar', ['-x', '-C', folder], { input: stdout });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return (env, ...command) => startOlder(folder, env, command);
}

async function startOlder(
  folder: string,
  env: Record<string, string>,
  command: readonly string[],
): Promise<OlderProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'main.ts', ...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await urlOf(child);
  return {
    url,
    send: (query, options) => send(url, query, options),
    async close() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

async function urlOf({ stdout, stderr }: ChildProcess): Promise<string> {
  if (stdout === null || stderr === null) throw new Error('The streams of the process are not read.');
  const said: string[] = [];
  stderr.on('data', (bytes) => said.push(String(bytes)));
  for await (const line of createInterface(stdout)) {
    said.push(line);
    const url = /answers at (http:\/\/[\d.:]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    stdout.resume();
    return url;
  }
  throw new Error(`The older build did not start: ${said.join('\n')}`);
}
