import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { sandboxVariables } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { type RedisServer, startRedis } from '../auth/support/redis.js';
import { startLoad } from '../lifecycle/support/load.js';
import { IS_LONG } from '../runs.js';
import { SHORT_LIVED } from '../v8-flags.js';

/** Guards several processes of one program at one port, in front of real Redis. */

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
const QUERY = '{ missions(first: 2) { nodes { id } } organizations(first: 1) { totalCount } }';

const redis: RedisServer | null = await startRedis();

type Line = Readonly<Record<string, unknown>>;

let sandbox: Sandbox;
let program: ChildProcess;
let url = '';
let metricsPort = 0;
const lines: Line[] = [];

/** Waits for a line of the log after the first `from`. */
async function line(isWanted: (line: Line) => boolean, from = 0): Promise<Line> {
  for (;;) {
    const found = lines.slice(from).find(isWanted);
    if (found !== undefined) return found;
    if (program.exitCode !== null) throw new Error(`The program ended with ${program.exitCode}.`);
    await Promise.race([once(program.stdout as NodeJS.ReadableStream, 'data'), once(program, 'exit')]);
  }
}

async function metric(pattern: RegExp): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(pattern.exec(text)?.[1] ?? 0);
}

const answered = () => metric(/^passerelle_request_duration_seconds_count\{status="200"\} (\d+)$/m);

async function post(body: object, more: Record<string, string> = {}): Promise<Response> {
  const headers = {
    ...more,
    'content-type': 'application/json',
    connection: 'close',
  };
  return fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
}

describe.skipIf(redis === null)('Two workers', () => {
  beforeAll(async () => {
    sandbox = await startSandbox({ scale: 0.01 });
    metricsPort = 20_000 + (process.pid % 10_000);
    const env = {
      // One service, because each worker loads those that it has.
      ...sandboxVariables(sandbox, 'volunteering'),
      ...{ PATH: process.env['PATH'] ?? '', CACHE_URL: redis?.url ?? '', CACHE_DIR: 'off' },
      ...{ PORT: '0', METRICS_PORT: String(metricsPort), WORKERS: '2', SESSION_SECRET: 's'.repeat(32) },
    };
    program = spawn(process.execPath, [...SHORT_LIVED, MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    // Each wait for a line also waits for the end.
    program.setMaxListeners(0);
    let rest = '';
    program.stdout?.on('data', (chunk) => {
      const parts = (rest + String(chunk)).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts.filter((part) => part !== '').map((part) => JSON.parse(part) as Line));
    });
    const started = await line(({ msg }) => String(msg).startsWith('Passerelle answers at'));
    url = String(started['url']);
    for (const worker of [1, 2]) await line((one) => one['worker'] === worker && one['msg'] === 'startup complete');
  });

  afterAll(async () => {
    program?.kill('SIGKILL');
    await Promise.all([sandbox?.close(), redis?.close()]);
  });

  it('share the work, what they have fetched, and one address for metrics', async () => {
    const before = await answered();
    const texts = new Set<string>();
    let calls = 0;
    for (let request = 0; request < 10; request += 1) {
      const response = await post({ query: QUERY }, { 'x-passerelle-trace': '1' });
      const { data, extensions } = (await response.json()) as { data: object; extensions: Line };
      texts.add(JSON.stringify(data));
      calls += (extensions['passerelle'] as { totals: { callsMade: number } }).totals.callsMade;
    }
    expect([texts.size, calls]).toEqual([1, 2]);
    expect((await answered()) - before).toBe(10);
    const servedBy = () => lines.filter(({ msg }) => msg === 'request answered').map(({ worker }) => worker);
    await line(() => servedBy().length === 10);
    expect(servedBy().filter((worker) => worker === 1).length).toBe(5);
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(text).toContain('passerelle_source_state{service="volunteering",state="UP"} 1\n');
    expect(text).toContain('passerelle_store_reachable 1\n');
  });

  it.runIf(IS_LONG)(
    'are replaced one after the other on SIGHUP, without a request lost or a count that falls',
    async () => {
      const load = startLoad(url, QUERY, (data) => (data as { missions?: unknown } | null)?.missions !== undefined, 20);
      const before = await answered();
      const from = lines.length;
      program.kill('SIGHUP');
      for (const worker of [1, 2])
        await line((one) => one['worker'] === worker && one['msg'] === 'a worker was replaced', from);
      const { answered: sent, dropped } = await load.stop();
      expect(dropped).toEqual([]);
      expect(sent).toBeGreaterThan(10);
      expect(await answered()).toBeGreaterThanOrEqual(before);
    },
  );

  it('are started again when one ends by itself', async () => {
    // Its lines name the process. A start completes with the export, which waits for the lease of who was downloading it.
    const isWorker = ({ worker, instance }: Line) => worker === 2 && !String(instance).endsWith(`:${program.pid}`);
    const last = lines.findLast(isWorker)?.['instance'];
    const from = lines.length;
    process.kill(Number(String(last).split(':').at(-1)), 'SIGKILL');
    await line(({ msg }) => msg === 'a worker ended by itself: it is started again', from);
    expect((await post({ query: '{ __typename }' })).status).toBe(200);
    await line((one) => isWorker(one) && one['instance'] !== last, from);
  });

  it('end together on SIGTERM', async () => {
    const exit = once(program, 'exit');
    program.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    await expect(post({ query: '{ __typename }' })).rejects.toThrow('fetch failed');
  });
});

it('several workers are refused without the store that they share, and in front of their own sandbox', () => {
  const read = () => readConfiguration('all', { WORKERS: '2' });
  expect(read).toThrow('WORKERS needs CACHE_URL: workers share quota, sessions and limits of callers through Redis');
  expect(read).toThrow('WORKERS needs services: each worker would have a sandbox of its own');
});
