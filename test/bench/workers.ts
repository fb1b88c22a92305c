/**
 * `npm run bench:workers [-- --rounds N --seconds N]`: one process and two workers, each with a Redis of its own, take
 * turns under the same load. Prints CPU per request, the primary process included, how the workers share it, and the
 * upstream calls for the same pages. Exit code 1 if responses differ, if workers make more calls or take more than 1.15 of
 * the CPU of one process, or if one of them does less than 40 % of the work. Needs Linux, for /proc.
 */
import { readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { readArguments } from '../../scripts/arguments.mjs';
import { startRedis } from '../auth/support/redis.js';
import { temporaryFolder } from '../temporary-folder.js';
import { startLoad, startServer, startUpstreams } from './processes.js';
import { readCursors, requestOf } from './sending.js';
import { environmentOf, productCommand, type Variant } from './variants.js';
import { type Operation, type Workload, workloadsOf } from './workloads.js';

/** What workers may take of the CPU of one process, and the least share of one of two. */
const MOST = 1.15;
const LEAST_SHARE = 0.4;
/** On a busy machine, what one worker has just fetched may not be in Redis yet when the other one needs it. */
const MOST_CALLS = 1.01;
const WORKLOADS = ['trivial', 'join', 'varied', 'lookups', 'documents'];
/** Each process compiles its own code: workers get as many requests for each. */
const WARM_UP = { count: 15_000, seconds: 30 };
const MS_A_TICK = 10;
const COMPLETE_PAUSE_MS = 200;

const job = readArguments('npm run bench:workers [-- --rounds N --seconds N]', { rounds: 5, seconds: 2 });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const upstreams = await startUpstreams();
const load = startLoad();
const [one, two] = [await startShape(1), await startShape(2)];
await compareCalls();
for (const workload of await chosenWorkloads()) await compare(workload);
console.log(`load ${loadavg()[0]?.toFixed(1)}`);
process.exit();

interface Shape {
  readonly workers: number;
  readonly pid: number;
  readonly variant: Variant;
}

async function startShape(workers: number): Promise<Shape> {
  const redis = await startRedis();
  if (redis === null) throw new Error('The bench needs redis-server.');
  const folder = temporaryFolder();
  process.once('exit', () => {
    void redis.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await upstreams.openWindows();
  const more = { CACHE_URL: redis.url, CACHE_DIR: folder, WORKERS: String(workers) };
  const server = await startServer({ command: productCommand('start'), env: { ...environmentOf(upstreams), ...more } });
  const shape = {
    workers,
    pid: server.pid,
    variant: { name: `${workers}`, speaks: 'GraphQL' as const, servers: [server] as const },
  };
  // Each connection goes to the next worker.
  const query = '{ missions(first: 20) { nodes { organization { workplacesComplete } } } }';
  for (let complete = 0; complete < workers; ) {
    const isComplete = !(await answerOf(shape, { query, path: '' })).includes('false');
    complete = isComplete ? complete + 1 : 0;
    if (!isComplete) await pause(COMPLETE_PAUSE_MS);
  }
  return shape;
}

/** The body of one response, over a connection of its own. */
async function answerOf({ variant }: Shape, { query, variables }: Operation): Promise<string> {
  const response = await request(`${variant.servers[0].url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
    reset: true,
  });
  return response.body.text();
}

async function chosenWorkloads(): Promise<Workload[]> {
  const all = workloadsOf({ inseeCodes: upstreams.inseeCodes, cursors: await readCursors(one.variant) });
  return all.filter(({ name }) => WORKLOADS.includes(name));
}

/** Sends each shape the same pages, one after the other, to the workers in turn. */
async function compareCalls(): Promise<void> {
  const pages = (await chosenWorkloads()).find(({ name }) => name === 'varied')?.operations ?? [];
  const found = [];
  for (const shape of [one, two]) {
    await upstreams.openWindows();
    await upstreams.calls();
    const answers = [];
    for (const page of [...pages, ...pages]) answers.push(await answerOf(shape, page));
    found.push({ calls: await upstreams.calls(), text: answers.join('\n') });
  }
  const [first, second] = found;
  console.log(`calls for ${pages.length} pages, twice: one process ${first?.calls}, two workers ${second?.calls}`);
  const isEqual = first?.text === second?.text;
  if (!isEqual) console.log('Responses are not equal.');
  if (!isEqual || (second?.calls ?? 0) > MOST_CALLS * (first?.calls ?? 0)) process.exitCode = 1;
}

/** Compares the CPU of a workload in short turns, so that a busy moment of the machine affects both shapes. */
async function compare(workload: Workload): Promise<void> {
  for (const shape of [one, two]) await send(shape, workload, { ...WARM_UP, count: WARM_UP.count * shape.workers });
  const used = new Map([one, two].map((shape) => [shape, { cpuMs: [] as number[], answered: 0 }]));
  for (let round = 0; round < job.rounds; round += 1) {
    for (const shape of round % 2 === 0 ? [one, two] : [two, one]) {
      const before = cpuOf(shape.pid);
      const { answered } = await send(shape, workload, { seconds: job.seconds });
      const spent = cpuOf(shape.pid).map((ms, place) => ms - (before[place] ?? 0));
      const sum = used.get(shape);
      if (sum === undefined) continue;
      sum.cpuMs = spent.map((ms, place) => ms + (sum.cpuMs[place] ?? 0));
      sum.answered += answered;
    }
  }
  const [ofOne = Number.NaN, ofTwo = Number.NaN] = [...used.values()].map(
    ({ cpuMs, answered }) => cpuMs.reduce((sum, ms) => sum + ms, 0) / answered,
  );
  const [primary = 0, ...workers] = used.get(two)?.cpuMs ?? [];
  const all = workers.reduce((sum, ms) => sum + ms, 0);
  const shares = workers.map((ms) => ms / all);
  console.log(
    `${workload.title}: ${ofOne.toFixed(3)} ms of CPU a request, with two workers ${ofTwo.toFixed(3)} ` +
      `(×${(ofTwo / ofOne).toFixed(2)}, primary ${percent(primary / (primary + all))}), ` +
      `workers ${shares.map(percent).join(' and ')}`,
  );
  if (ofTwo > MOST * ofOne || Math.min(...shares) < LEAST_SHARE) process.exitCode = 1;
}

function send({ variant }: Shape, workload: Workload, until: { readonly count?: number; readonly seconds?: number }) {
  const requests = workload.operations.map((operation) => requestOf(variant, operation, workload));
  const { port } = new URL(variant.servers[0].url);
  return load.run({ port: Number(port), requests, connections: workload.connections, ...until });
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

/** Milliseconds of CPU of a process and of each of its children, so far. */
function cpuOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return [pid, ...children.map(Number)].map((process) => {
    const [, fields = ''] = readFileSync(`/proc/${process}/stat`, 'utf8').split(') ');
    const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
    return (user + system) * MS_A_TICK;
  });
}
