import type { Upstreams } from '../processes.js';
import { readCursors, requestOf } from '../sending.js';
import type { LoadResult } from '../servers/load.js';
import { type Operation, type Workload, workloadsOf } from '../workloads.js';
import type { Fleet } from './fleet.js';

/** The figures of a fleet in one round. */
export interface Sample {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Milliseconds of CPU per request, of all gateways and of all subgraphs. */
  readonly gatewayMs: number;
  readonly subgraphMs: number;
}

/** The upstream calls of a fleet that was just started. */
export interface Calls {
  /** Calls for the same pages through each gateway, when nothing was cached. */
  readonly cold: number;
  /** Most calls to the volunteering service within a minute, under more searches than it allows. */
  readonly busiestMinute: number;
  /** Calls that the services refused because the quota was spent. */
  readonly refused: number;
}

/** The load on each fleet. */
interface Job {
  readonly rounds: number;
  readonly seconds: number;
}

/** Connections in total, divided among the gateways. */
const CONNECTIONS = 12;
/** Pages of missions with their joins: every fifth of 200. */
const PAGE_STEP = 5;
/** Calls per key and minute that the volunteering service allows (volunteering 6). */
export const CALLS_PER_MINUTE = 600;
/** Different searches, each of which costs a call: more than a minute allows. */
export const SEARCHES = 750;
const SEARCHES_AT_ONCE = 96;
/** Requests to each gateway until its code is compiled: each of three needs as many as one alone. */
const WARM_UP_REQUESTS = 1_500;

/** Queries a fleet that was just started: first pages that are not cached, then, within the same minute, too much. */
export async function countCalls(fleet: Fleet, upstreams: Upstreams): Promise<Calls> {
  const workload = await pages(fleet);
  await upstreams.openWindows(CALLS_PER_MINUTE);
  await upstreams.calls();
  await sendInTurns(fleet, workload);
  const { made: cold } = await upstreams.tally();
  await spendTheQuota(fleet, workload);
  const { refused, busiestMinute } = await upstreams.tally();
  await upstreams.openWindows();
  return { cold, busiestMinute, refused };
}

/** Sends the same pages repeatedly, to the fleets in turn, so that a busy moment of the machine affects all. */
export async function measureInTurns(fleets: readonly Fleet[], { rounds, seconds }: Job): Promise<Sample[]> {
  const measured = [];
  for (const fleet of fleets) {
    const workload = await pages(fleet);
    await send(fleet, workload, { count: WARM_UP_REQUESTS });
    measured.push({ fleet, workload, samples: [] as Sample[] });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { fleet, workload, samples } of measured) samples.push(await measure(fleet, workload, seconds));
  }
  return measured.map(({ samples }) => medians(samples));
}

function medians(samples: readonly Sample[]): Sample {
  const median = (name: keyof Sample) =>
    samples.map((sample) => sample[name]).sort((one, other) => one - other)[Math.floor(samples.length / 2)] ??
    Number.NaN;
  return {
    perSecond: median('perSecond'),
    p99Ms: median('p99Ms'),
    gatewayMs: median('gatewayMs'),
    subgraphMs: median('subgraphMs'),
  };
}

async function pages({ gateways: [first] }: Fleet): Promise<Workload> {
  const cursors = first === undefined ? [] : await readCursors(first);
  const varied = workloadsOf({
    inseeCodes: [],
    cursors: cursors.filter((_, place) => place % PAGE_STEP === 0),
  }).find(({ name }) => name === 'varied');
  if (varied === undefined) throw new Error('The bench has no such workload.');
  return varied;
}

/** Sends each gateway all pages once, starting at a different place for each. */
async function sendInTurns(fleet: Fleet, workload: Workload): Promise<void> {
  const { operations } = workload;
  const share = Math.ceil(operations.length / fleet.gateways.length);
  await sendEach(fleet, workload, (place) => {
    const from = place * share;
    return { operations: [...operations.slice(from), ...operations.slice(0, from)], connections: 1 };
  });
}

async function measure(fleet: Fleet, workload: Workload, seconds: number): Promise<Sample> {
  const before = await cpuOf(fleet);
  const results = await send(fleet, workload, { seconds });
  const after = await cpuOf(fleet);
  const answered = results.reduce((sum, result) => sum + result.answered, 0);
  return {
    perSecond: answered / Math.max(...results.map((result) => result.seconds)),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    gatewayMs: (after.gateways - before.gateways) / answered,
    subgraphMs: (after.subgraphs - before.subgraphs) / answered,
  };
}

/** Sends new searches, divided among the gateways. */
async function spendTheQuota(fleet: Fleet, workload: Workload): Promise<void> {
  const share = Math.floor(SEARCHES / fleet.gateways.length);
  const search = (number: number): Operation => ({
    query: 'query Search($city: [String!]) { missions(first: 3, city: $city) { nodes { id } } }',
    variables: { city: [`Nowhere ${String(number).padStart(4, '0')}`] },
    path: '',
  });
  await sendEach(fleet, workload, (place) => ({
    operations: Array.from({ length: share }, (_, index) => search(place * share + index)),
    connections: Math.floor(SEARCHES_AT_ONCE / fleet.gateways.length),
  }));
}

type Until = { readonly seconds: number } | { readonly count: number };

/** Sends all pages in rotation. */
function send(fleet: Fleet, workload: Workload, until: Until): Promise<LoadResult[]> {
  const connections = CONNECTIONS / fleet.gateways.length;
  return sendEach(fleet, workload, () => ({ operations: workload.operations, connections, until }));
}

interface Share {
  readonly operations: readonly Operation[];
  readonly connections: number;
  /** Each operation once if omitted. */
  readonly until?: Until;
}

/** Sends all gateways their share at the same time. */
function sendEach(fleet: Fleet, workload: Workload, shareOf: (place: number) => Share): Promise<LoadResult[]> {
  return Promise.all(
    fleet.gateways.map((gateway, place) => {
      const { operations, connections, until } = shareOf(place);
      const requests = operations.map((operation) => requestOf(gateway, operation, workload));
      const port = Number(new URL(gateway.servers[0].url).port);
      const load = fleet.loads[place];
      if (load === undefined) throw new Error('Each gateway has a load of its own.');
      return load.run({ port, requests, connections, ...(until ?? { count: requests.length }) });
    }),
  );
}

async function cpuOf({ gateways, subgraphs }: Fleet) {
  const sum = async (servers: readonly { usage(): Promise<{ readonly cpuMs: number }> }[]) =>
    (await Promise.all(servers.map((server) => server.usage()))).reduce((total, { cpuMs }) => total + cpuMs, 0);
  return { gateways: await sum(gateways.map(({ servers: [gateway] }) => gateway)), subgraphs: await sum(subgraphs) };
}
