/**
 * `npm run bench:scale [-- --rounds N --seconds N]`: one gateway and three over the same separate subgraphs, and three
 * over three replicas of each subgraph; each fleet has a Redis of its own, and its processes store no whole responses.
 * Prints requests per second of CPU, the upstream calls for the same pages through each gateway, and whether the fleet
 * as a whole respects the quota. Exit code 1 if three gateways make more calls than one, or if a service had to refuse
 * a call.
 */
import { loadavg } from 'node:os';
import { readArguments } from '../../scripts/arguments.mjs';
import { startUpstreams } from './processes.js';
import { type Fleet, type Size, startFleet } from './scale/fleet.js';
import {
  CALLS_PER_MINUTE,
  type Calls,
  countCalls,
  measureInTurns,
  type Sample,
  SEARCHES,
} from './scale/measure-fleet.js';
import { copyWithoutMemory } from './without-memory.js';

const SIZES: readonly Size[] = [
  { gateways: 1, replicas: 1 },
  { gateways: 3, replicas: 1 },
  { gateways: 3, replicas: 3 },
];
const job = readArguments('npm run bench:scale [-- --rounds N --seconds N]', { rounds: 3, seconds: 3 });

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const upstreams = await startUpstreams();
// Otherwise the pages, of which each comes again, would be answered by stored responses alone.
const root = copyWithoutMemory();
const fleets: Fleet[] = [];
const calls: Calls[] = [];
for (const size of SIZES) {
  console.log(`${nameOf(size)}: starts, and counts its calls`);
  const fleet = await startFleet(upstreams, size, root);
  fleets.push(fleet);
  calls.push(await countCalls(fleet, upstreams));
}
console.log('all: measured in turns');
const samples = await measureInTurns(fleets, job);
for (const fleet of fleets) await fleet.close();
report();
process.exit();

function nameOf({ gateways, replicas }: Size): string {
  return `${gateways} gateway${gateways === 1 ? '' : 's'}, ${replicas} of each subgraph`;
}

function report(): void {
  const found = SIZES.flatMap((size, place) => {
    const [sample, called] = [samples[place], calls[place]];
    return sample === undefined || called === undefined ? [] : [{ size, ...sample, ...called }];
  });
  const [one] = found;
  if (one === undefined) return;
  const row = (name: string, cell: (figures: Size & Sample & Calls) => string) =>
    console.log(`| ${[name, ...found.map(({ size, ...figures }) => cell({ ...size, ...figures }))].join(' | ')} |`);
  row('', nameOf);
  row('---', () => '---');
  row('requests a second on this machine', ({ perSecond }) => perSecond.toFixed(0));
  row('p99, ms', ({ p99Ms }) => p99Ms.toFixed(0));
  row('CPU of the gateways, ms a request', ({ gatewayMs }) => gatewayMs.toFixed(2));
  row('CPU of the subgraphs, ms a request', ({ subgraphMs }) => subgraphMs.toFixed(2));
  row('requests per CPU second of a gateway', ({ gatewayMs }) => (1000 / gatewayMs).toFixed(0));
  row('scaling factor of the gateways, with a core for each', ({ gateways, gatewayMs }) => {
    return `×${((gateways * one.gatewayMs) / gatewayMs).toFixed(2)}`;
  });
  row('calls for the same pages through each gateway', ({ cold }) => String(cold));
  row(`calls in the minute of ${SEARCHES} new searches, ${CALLS_PER_MINUTE} allowed`, ({ busiestMinute }) =>
    String(busiestMinute),
  );
  row('calls that a service refused', ({ refused }) => String(refused));
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
  const multiplied = found.some(({ size, cold }) => size.replicas === 1 && cold > one.cold);
  if (multiplied || found.some(({ refused }) => refused > 0)) process.exitCode = 1;
}
