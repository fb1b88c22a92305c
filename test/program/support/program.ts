import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from 'undici';
import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import { temporaryFolder } from '../../temporary-folder.js';
import { SHORT_LIVED } from '../../v8-flags.js';

const MAIN = new URL('../../../dist/main.js', import.meta.url).pathname;
/** Its ports cannot be read from a log that is full. These are below those that systems give to whoever asks for any. */
const PORTS = [10_000, 30_000] as const;
/** A gateway in front of nobody, which starts in half the time of the whole product. */
const ROLE = 'gateway';
const NOBODY = Object.fromEntries(
  SERVICES.map((name) => [SERVICE_ENTRIES[name].addressVariable, 'http://127.0.0.1:9/graphql']),
);

/** The program in a process of its own. */
export interface Program {
  /** The value of a metric without labels; undefined if there is none. */
  metric(name: string): Promise<number | undefined>;
  /** Sends this many requests at once. Returns how many were answered with each status. */
  send(count: number): Promise<Readonly<Record<string, number>>>;
  /** Sends SIGTERM. Resolves with the exit code and how long the process took to end. */
  end(): Promise<{ readonly code: number | null; readonly ms: number }>;
}

/** As long as the log shows them. The query needs no call and little work, so that nothing but the log holds it up. */
const NAME = 'Types'.padEnd(100, '_');
const ID = 'a'.repeat(128);
const query = JSON.stringify({ query: `query ${NAME} { __typename }`, operationName: NAME });
const headers = { 'content-type': 'application/json', 'x-request-id': ID };

/** Starts the program with these streams; resolves once it answers, whether or not anything can be read from it. */
export async function startProgram(stdio: StdioOptions, before: ChildProcess[]): Promise<Program> {
  const port = randomInt(...PORTS);
  const metricsPort = port + 1;
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...NOBODY,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
  };
  const child = spawn(process.execPath, [...SHORT_LIVED, MAIN, ROLE], { env, stdio });
  before.push(child);
  const url = `http://127.0.0.1:${port}`;
  await untilAnswering(url, child);
  return {
    async metric(name) {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
      return value === undefined ? undefined : Number(value);
    },
    async send(count) {
      const statuses: Record<string, number> = {};
      const one = async () => {
        const { statusCode, body } = await request(`${url}/graphql`, { method: 'POST', headers, body: query });
        const isRight = (await body.text()).startsWith('{"data":{"__typename":"Query"}');
        const key = isRight ? String(statusCode) : `${statusCode} without data`;
        statuses[key] = (statuses[key] ?? 0) + 1;
      };
      await Promise.all(Array.from({ length: count }, one));
      return statuses;
    },
    async end() {
      const startedMs = performance.now();
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await exit;
      return { code, ms: performance.now() - startedMs };
    },
  };
}

/** Runs the program until it ends by itself. Returns its exit code. */
export async function runProgram(stdio: StdioOptions, env: Record<string, string>): Promise<number | null> {
  const child = spawn(process.execPath, [...SHORT_LIVED, MAIN, ROLE], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio,
  });
  const [code] = await once(child, 'exit');
  return code;
}

/** A new named pipe. */
export function makePipe(): string {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The program ended with ${child.exitCode}.`);
    const answers = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
